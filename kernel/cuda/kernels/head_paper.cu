// The head for one state of width 32 on the tensor cores: sigmoid(w2·ReLU(W0·[h, query] + b0) + b2).
// The query's columns are the same for all rows of a sample and come as a vector of 64.
#include "head.cuh"

const int D = 32, F = 64, FACTORS = 32; // 8×8 factors of one product

// head32_pack: first W0's columns of the state for forward, then the same for backward.
KERNEL head32_pack(Right *out, const float *weight) BOUNDS(32) {
    int f = blockX(), g = lane() / 4, t = lane() % 4;
    float x[2];
    UNROLL for (int i = 0; i < 2; i++) {
        int step = f / 8, tile = f % 8;
        if (f < FACTORS) x[i] = weight[(tile / 4 * D + columnOf(tile % 4, g)) * F + depthOf(step, t + 4 * i)];
        else {
            step = (f - FACTORS) / 4, tile = f % 4;
            x[i] = weight[depthOf(step, t + 4 * i) * F + columnOf(tile, g)];
        }
    }
    out[f * 32 + lane()] = rightOf(x[0], x[1]);
}

struct Head {
    float *prob;
    float *dhidden, *dmiddle, *parts; // backward; parts (warps of the grid, 3, D): dw2 and, first of the third row, db2
    const float *dprob;
    const float *hidden, *constant; // constant (B,F)
    const Right *packed;
    const float *weight2, *bias2;
    int rows, nodes;
};

SHARED Right factors[2 * FACTORS * 32];

INLINE void loadFactors(const Right *packed) {
    for (int i = thread(); i < 2 * FACTORS * 32; i += threads()) factors[i] = packed[i];
    barrier();
}

// middleOf is the hidden layer of rows row[0] and row[1], in two halves each, after the ReLU.
INLINE void middleOf(Row middle[2][2], const Head &f, const int *row) {
    Row x[2] = {rowAt(f.hidden + (long)row[0] * D), rowAt(f.hidden + (long)row[1] * D)};
    float4 sum[8] = {};
    UNROLL for (int step = 0; step < 4; step++) {
        Left a = leftOf(x[0], x[1], step);
        UNROLL for (int tile = 0; tile < 8; tile++) multiplyAdd(sum[tile], a, factors[(step * 8 + tile) * 32 + lane()]);
    }
    UNROLL for (int r = 0; r < 2; r++) UNROLL for (int half = 0; half < 2; half++) {
        Row own = resultOf(sum + 4 * half, r), more = rowAt(f.constant + (long)(row[r] / f.nodes) * F + half * D);
        EACH(p, i) middle[r][half].part[p][i] = larger(own.part[p][i] + more.part[p][i], 0);
    }
}

KERNEL head32_forward(Head f) BOUNDS(256, 2) {
    loadFactors(f.packed);
    Row weight[2] = {oddRowAt(f.weight2), oddRowAt(f.weight2 + D)};
    for (int tile = blockX() * 8 + warp(); tile * 16 < f.rows; tile += blocksX() * 8) {
        Rows rows = rowsOf(tile, f.rows);
        Row middle[2][2];
        middleOf(middle, f, rows.row);
        UNROLL for (int r = 0; r < 2; r++) {
            float sum = 0;
            UNROLL for (int half = 0; half < 2; half++) EACH(p, i) sum = fma(weight[half].part[p][i], middle[r][half].part[p][i], sum);
            float logit = f.bias2[0] + quadSum(sum);
            if (lane() % 4 == 0) f.prob[rows.row[r]] = sigmoid(logit);
        }
    }
}

// head32_backward writes dmiddle (rows,F) for the sums over rows, and adds to dhidden.
KERNEL head32_backward(Head f) BOUNDS(256, 2) {
    loadFactors(f.packed);
    Row weight[2] = {oddRowAt(f.weight2), oddRowAt(f.weight2 + D)}, sums[3] = {};
    for (int tile = blockX() * 8 + warp(); tile * 16 < f.rows; tile += blocksX() * 8) {
        Rows rows = rowsOf(tile, f.rows);
        Row middle[2][2];
        middleOf(middle, f, rows.row);
        UNROLL for (int r = 0; r < 2; r++) {
            float p0 = f.prob[rows.row[r]], d = rows.counts[r] ? f.dprob[rows.row[r]] * p0 * (1 - p0) : 0;
            if (lane() % 4 == 0) sums[2].part[0][0] += d;
            UNROLL for (int half = 0; half < 2; half++) {
                Row &m = middle[r][half];
                EACH(p, i) {
                    sums[half].part[p][i] = fma(d, m.part[p][i], sums[half].part[p][i]);
                    m.part[p][i] = m.part[p][i] > 0 ? d * weight[half].part[p][i] : 0;
                }
                if (rows.counts[r]) putRow(f.dmiddle + (long)rows.row[r] * F + half * D, m);
            }
        }
        float4 sum[4] = {};
        UNROLL for (int step = 0; step < 8; step++) {
            Left a = leftOf(middle[0][step / 4], middle[1][step / 4], step % 4);
            UNROLL for (int n = 0; n < 4; n++) multiplyAdd(sum[n], a, factors[(FACTORS + step * 4 + n) * 32 + lane()]);
        }
        UNROLL for (int r = 0; r < 2; r++) if (rows.counts[r]) addRow(f.dhidden + (long)rows.row[r] * D, resultOf(sum, r));
    }
    UNROLL for (int k = 0; k < 3; k++) putSum(f.parts + ((long)(blockX() * 8 + warp()) * 3 + k) * D, sums[k]);
}
