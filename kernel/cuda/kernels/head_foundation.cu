// The head for one state of width 64 on the tensor cores: sigmoid(w2·ReLU(W0·[h, query] + b0) + b2). The query's columns
// are the same for all rows of a sample and come as a vector of 128. The middle layer is four
// quarters of 32 columns; a warp takes 16 rows.
#include "head.cuh"

const int QUARTER = 32, D = 64, F = 128;
const int FACTORS = D / 8 * (F / 8), PAIRS = F / 16 * (D / 8); // of forward 8×8, of backward 16×8

// head64_pack: first W0's columns of the state for forward, then the same transposed for backward.
KERNEL head64_pack(Right *out, const float *weight) BOUNDS(32) {
    int f = blockX(), g = lane() / 4, t = lane() % 4;
    if (f < FACTORS) {
        int step = f / 16, tile = f % 16;
        const float *row = weight + (tile / 4 * QUARTER + columnOf(tile % 4, g)) * F + step / 4 * 32;
        out[f * 32 + lane()] = rightOf(row[depthOf(step % 4, t)], row[depthOf(step % 4, t + 4)]);
        return;
    }
    int step = (f - FACTORS) / 8, tile = f % 8;
    const float *column = weight + (step * 16 + 4 * t) * F + tile / 4 * 32 + columnOf(tile % 4, g);
    out[f * 32 + lane()] = rightPairs(column[0], column[F], column[2 * F], column[3 * F]);
}

struct Head {
    float *prob;
    float *dhidden, *dmiddle, *parts; // backward; parts (warps of the grid, 5, QUARTER): dw2 and, first of the fifth row, db2
    const float *dprob;
    const float *hidden, *constant; // constant (B,F)
    const Right *packed;
    const float *weight2, *bias2;
    int rows, nodes;
};

DYNAMIC(Right, factors);

// loadFactors brings so many factors, and the last layer's weight behind them.
INLINE float *loadFactors(const Head &f, int count) {
    for (int i = thread(); i < count * 32; i += threads()) factors[i] = f.packed[i];
    float *weight2 = (float *)(factors + count * 32);
    if (thread() < F) weight2[thread()] = f.weight2[thread()];
    barrier();
    return weight2;
}

// middleOf is the hidden layer of rows row[0] and row[1] after the ReLU.
INLINE void middleOf(Row middle[2][4], const Head &f, const int *row) {
    float4 sum[16] = {};
    UNROLL for (int half = 0; half < 2; half++) {
        Row x[2];
        UNROLL for (int r = 0; r < 2; r++) x[r] = rowAt(f.hidden + (long)row[r] * D + half * 32);
        UNROLL for (int step = 0; step < 4; step++) {
            Left a = leftOf(x[0], x[1], step);
            UNROLL for (int tile = 0; tile < 16; tile++) multiplyAdd(sum[tile], a, factors[((half * 4 + step) * 16 + tile) * 32 + lane()]);
        }
    }
    UNROLL for (int r = 0; r < 2; r++) UNROLL for (int q = 0; q < 4; q++) {
        Row own = resultOf(sum + 4 * q, r), more = rowAt(f.constant + (long)(row[r] / f.nodes) * F + q * QUARTER);
        EACH(p, i) middle[r][q].part[p][i] = larger(own.part[p][i] + more.part[p][i], 0);
    }
}

KERNEL head64_forward(Head f) BOUNDS(256, 2) {
    const float *weight = loadFactors(f, FACTORS);
    for (int tile = blockX() * 8 + warp(); tile * 16 < f.rows; tile += blocksX() * 8) {
        Rows rows = rowsOf(tile, f.rows);
        Row middle[2][4];
        middleOf(middle, f, rows.row);
        UNROLL for (int r = 0; r < 2; r++) {
            float sum = 0;
            UNROLL for (int q = 0; q < 4; q++) {
                Row w = rowAt(weight + q * QUARTER);
                EACH(p, i) sum = fma(w.part[p][i], middle[r][q].part[p][i], sum);
            }
            float logit = f.bias2[0] + quadSum(sum);
            if (lane() % 4 == 0) f.prob[rows.row[r]] = sigmoid(logit);
        }
    }
}

// head64_backward writes dmiddle (rows,F) for the sums over rows, and adds to dhidden.
KERNEL head64_backward(Head f) BOUNDS(256, 1) {
    const float *weight = loadFactors(f, FACTORS + PAIRS);
    Row sums[4] = {};
    float sum2 = 0;
    for (int tile = blockX() * 8 + warp(); tile * 16 < f.rows; tile += blocksX() * 8) {
        Rows rows = rowsOf(tile, f.rows);
        Row middle[2][4];
        middleOf(middle, f, rows.row);
        UNROLL for (int r = 0; r < 2; r++) {
            float p0 = f.prob[rows.row[r]], d = rows.counts[r] ? f.dprob[rows.row[r]] * p0 * (1 - p0) : 0;
            if (lane() % 4 == 0) sum2 += d;
            UNROLL for (int q = 0; q < 4; q++) {
                Row &m = middle[r][q];
                Row w = rowAt(weight + q * QUARTER);
                EACH(p, i) {
                    sums[q].part[p][i] = fma(d, m.part[p][i], sums[q].part[p][i]);
                    m.part[p][i] = m.part[p][i] > 0 ? d * w.part[p][i] : 0;
                }
                if (rows.counts[r]) putRow(f.dmiddle + (long)rows.row[r] * F + q * QUARTER, m);
            }
        }
        float4 sum[8] = {};
        UNROLL for (int step = 0; step < 8; step++) {
            Left a = leftPairs(middle[0][step / 2].part[step % 2], middle[1][step / 2].part[step % 2]);
            UNROLL for (int n = 0; n < 8; n++) multiplyAddPairs(sum[n], a, factors[(FACTORS + step * 8 + n) * 32 + lane()]);
        }
        UNROLL for (int r = 0; r < 2; r++) if (rows.counts[r]) UNROLL for (int half = 0; half < 2; half++)
            addRow(f.dhidden + (long)rows.row[r] * D + half * 32, resultOf(sum + 4 * half, r));
    }
    float *parts = f.parts + (long)(blockX() * 8 + warp()) * 5 * QUARTER;
    UNROLL for (int q = 0; q < 4; q++) putSum(parts + q * QUARTER, sums[q]);
    sum2 = warpSum(sum2);
    parts[4 * QUARTER + lane()] = lane() == 0 ? sum2 : 0;
}
