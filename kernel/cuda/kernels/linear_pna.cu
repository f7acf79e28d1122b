// The Linear, norm, ReLU and short cut of a PNA layer of width 32 on the tensor cores.
//
// The 12·D features are never formed. With s the degree's scaler and t = 1/max(s, 0.01) the Linear
// of a node is Wh·h + W0·x + s·(W1·x) + t·(W2·x), x its 4·D statistics: one product with 96 columns, and
// backward one with 96 rows, dz, s·dz and t·dz. A warp takes 32 rows forward, 16 backward.
#include "linear_pna.cuh"

const int OWN = 4 * 4, PACKED = OWN + 16 * 12;     // 8×8 factors: of the state, then of the statistics
const int PAIRS = 2 * 4, PACKED_PAIRS = PAIRS + 6 * 16; // 16×8 factors of backward

// pack_forward lays the weight out as right factors: k-step by k-step the 4 n-tiles of Wh, then the 12 of W0, W1, W2.
KERNEL pna32_pack_forward(Right *out, const float *weight) BOUNDS(32) {
    int f = blockX(), g = lane() / 4, t = lane() % 4;
    float x[2];
    UNROLL for (int i = 0; i < 2; i++) {
        if (f < OWN) x[i] = weight[columnOf(f % 4, g) * FEATURES + depthOf(f / 4, t + 4 * i)];
        else {
            int step = (f - OWN) / 12, tile = (f - OWN) % 12;
            int k = depthOf(step, t + 4 * i);
            x[i] = weightAt(weight, columnOf(tile % 4, g), k / D, k % D, tile / 4);
        }
    }
    out[f * 32 + lane()] = rightOf(x[0], x[1]);
}

// pack_backward: the same transposed, in pairs: the 4 n-tiles of Whᵀ, then for each of three times 2 k-steps of dz the 16 n-tiles of the statistics.
KERNEL pna32_pack_backward(Right *out, const float *weight) BOUNDS(32) {
    int f = blockX(), g = lane() / 4, t = lane() % 4;
    float x[4];
    UNROLL for (int i = 0; i < 4; i++) {
        if (f < PAIRS) x[i] = weight[(f / 4 * 16 + 4 * t + i) * FEATURES + columnOf(f % 4, g)];
        else {
            int step = (f - PAIRS) / 16, tile = (f - PAIRS) % 16;
            x[i] = weightAt(weight, step % 2 * 16 + 4 * t + i, tile / 4, columnOf(tile % 4, g), step / 2);
        }
    }
    out[f * 32 + lane()] = rightPairs(x[0], x[1], x[2], x[3]);
}

DYNAMIC(Right, factors);

INLINE void loadFactors(const Right *packed, int count) {
    for (int i = thread(); i < count * 32; i += threads()) factors[i] = packed[i];
    barrier();
}

// anyTouched tells whether one of count rows was touched (message_vector.cu), where there are marks. The rest are rows of zeros,
// but for the std, and no edge asks for their gradients.
INLINE bool anyTouched(const u8 *marks, long first, int count, long rows) {
    if (!marks) return true;
    long row = first + lane() % count;
    return ballot(row < rows && marks[row]) != 0;
}

struct Forward {
    float *out, *linear; // linear may be nil
    const float *hidden, *stats;
    const Right *packed;
    const float *bias, *scale, *shift;
    const float4 *scales;
    const u8 *marks; // (B,V) of a first layer, or nil
    long rows;
    int nodes, pad;
};

const int TILES = 2; // of 16 rows that a warp takes at a time: every factor read serves both

// rowOf is the row a lane holds in tile m, r says which of two; the last is taken again where there are no more.
INLINE long rowOf(long first, int m, int r, long rows) {
    long row = first + 16 * m + 8 * r + lane() / 4;
    return row < rows ? row : rows - 1;
}

// product adds a k-step of the rows x to the n-tiles from b on.
template <int COUNT> INLINE void productStep(float4 sum[TILES][12], const Row x[TILES][2], int step, const Right *b) {
    Left a[TILES];
    UNROLL for (int m = 0; m < TILES; m++) a[m] = leftOf(x[m][0], x[m][1], step);
    UNROLL for (int tile = 0; tile < COUNT; tile++) {
        Right factor = b[tile * 32];
        UNROLL for (int m = 0; m < TILES; m++) multiplyAdd(sum[m][tile], a[m], factor);
    }
}

// linearOf multiplies the features of the rows with the weight; the bias is not yet added. Of rows not touched only the std counts.
INLINE void linearOf(float4 sum[TILES][12], const Forward &f, long first) {
    Row x[TILES][2];
    bool touched = anyTouched(f.marks, first, 16 * TILES, f.rows);
    if (touched) {
        UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) x[m][r] = rowAt(f.hidden + rowOf(first, m, r, f.rows) * D);
        UNROLL for (int step = 0; step < 4; step++) productStep<4>(sum, x, step, factors + step * 4 * 32 + lane());
    }
    _Pragma("unroll 1") for (int stat = touched ? 0 : 3; stat < 4; stat++) {
        UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) x[m][r] = rowAt(f.stats + rowOf(first, m, r, f.rows) * STATS + stat * D);
        UNROLL for (int step = 0; step < 4; step++) productStep<12>(sum, x, step, factors + (OWN + (stat * 4 + step) * 12) * 32 + lane());
    }
}

// finishRow ends a row: bias, norm, ReLU and short cut.
INLINE void finishRow(const Forward &f, const float4 *sum, int r, long row) {
    float4 scaler = f.scales[row % f.nodes];
    Row own = resultOf(sum, r), up = resultOf(sum + 4, r), down = resultOf(sum + 8, r), bias = oddRowAt(f.bias), z;
    EACH(p, i) z.part[p][i] = fma(scaler.z, down.part[p][i], fma(scaler.y, up.part[p][i], own.part[p][i])) + bias.part[p][i];
    putNode(f, row, z);
}

KERNEL pna32_forward(Forward f) BOUNDS(384, 1) {
    loadFactors(f.packed, PACKED);
    const int ROWS = 16 * TILES;
    for (long tile = (long)blockX() * 12 + warp(); tile * ROWS < f.rows; tile += (long)blocksX() * 12) {
        float4 sum[TILES][12] = {};
        linearOf(sum, f, tile * ROWS);
        // Rows beyond the last are the last again, and written again alike.
        UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) finishRow(f, sum[m], r, rowOf(tile * ROWS, m, r, f.rows));
    }
}

struct Backward {
    float *dz, *coefficients, *dhidden;
    float *parts; // (warps of the grid, 3, D): gradients of scale, shift and bias
    const float *dout, *linear, *stats;
    const Right *packed;
    const float *scale, *shift;
    const float4 *scales;
    const u8 *marks; // (B,V) of a first layer, or nil
    long rows;
    int nodes, pad;
};

// normBackward turns dout into dz and adds to the sums of a lane's columns.
INLINE Row normBackward(Row *sums, const Row &dout, const Row &z, const Row &scale, const Row &shift, bool counts) {
    Norm norm = normOf(z);
    Row n, d;
    float sum = 0, sumNorm = 0; // Σ dn and Σ dn·n
    EACH(p, i) {
        n.part[p][i] = (z.part[p][i] - norm.mean) * norm.inverse;
        float x = dout.part[p][i];
        if (n.part[p][i] * scale.part[p][i] + shift.part[p][i] <= 0) x = 0;
        if (counts) {
            sums[0].part[p][i] += x * n.part[p][i];
            sums[1].part[p][i] += x;
        }
        d.part[p][i] = x * scale.part[p][i];
        sum += d.part[p][i];
        sumNorm += d.part[p][i] * n.part[p][i];
    }
    sum = quadSum(sum);
    sumNorm = quadSum(sumNorm);
    EACH(p, i) {
        d.part[p][i] = norm.inverse * (d.part[p][i] - (sum + n.part[p][i] * sumNorm) / D);
        if (counts) sums[2].part[p][i] += d.part[p][i];
    }
    return d;
}

// statsBackward multiplies dz, s·dz and t·dz with the weights of statistics first and second.
INLINE void statsBackward(float4 *sum, const Row *dz, const float4 *scale, int first, int second) {
    _Pragma("unroll 1") for (int scaler = 0; scaler < 3; scaler++) UNROLL for (int step = 0; step < 2; step++) {
        float4 x[2] = {dz[0].part[step], dz[1].part[step]};
        UNROLL for (int r = 0; r < 2; r++) x[r] *= scaler == 0 ? 1 : scaler == 1 ? scale[r].y : scale[r].z;
        Left a = leftPairs(x[0], x[1]);
        const Right *b = factors + (PAIRS + (scaler * 2 + step) * 16) * 32 + lane();
        UNROLL for (int tile = 0; tile < 4; tile++) {
            multiplyAddPairs(sum[tile], a, b[(first * 4 + tile) * 32]);
            multiplyAddPairs(sum[4 + tile], a, b[(second * 4 + tile) * 32]);
        }
    }
}

KERNEL pna32_backward(Backward f) BOUNDS(256, 2) {
    loadFactors(f.packed, PACKED_PAIRS);
    Row scale = oddRowAt(f.scale), shift = oddRowAt(f.shift), sums[3] = {};
    for (long tile = (long)blockX() * 8 + warp(); tile * 16 < f.rows; tile += (long)blocksX() * 8) {
        long row[2];
        bool counts[2];
        float4 scales[2];
        Row dz[2], dout[2];
        UNROLL for (int r = 0; r < 2; r++) {
            row[r] = tile * 16 + 8 * r + lane() / 4;
            counts[r] = row[r] < f.rows;
            if (!counts[r]) row[r] = f.rows - 1;
            scales[r] = f.scales[row[r] % f.nodes];
            dout[r] = rowAt(f.dout + row[r] * D);
            dz[r] = normBackward(sums, dout[r], rowAt(f.linear + row[r] * D), scale, shift, counts[r]);
            if (counts[r]) putRow(f.dz + row[r] * D, dz[r]);
        }
        if (!anyTouched(f.marks, tile * 16, 16, f.rows)) continue;
        float4 own[4] = {};
        UNROLL for (int step = 0; step < 2; step++) {
            Left a = leftPairs(dz[0].part[step], dz[1].part[step]);
            UNROLL for (int n = 0; n < 4; n++) multiplyAddPairs(own[n], a, factors[(step * 4 + n) * 32 + lane()]);
        }
        UNROLL for (int r = 0; r < 2; r++) if (counts[r]) {
            Row dh = rowAt(f.dhidden + row[r] * D), more = resultOf(own, r);
            EACH(p, i) dh.part[p][i] += dout[r].part[p][i] + more.part[p][i]; // the short cut, and the state's own columns
            putRow(f.dhidden + row[r] * D, dh);
        }
        Row flat[2];
        float4 spread[8] = {};
        statsBackward(spread, dz, scales, 0, 3);
        UNROLL for (int r = 0; r < 2; r++) {
            Row mean = rowAt(f.stats + row[r] * STATS), sigma = rowAt(f.stats + row[r] * STATS + 3 * D);
            Row dmean = resultOf(spread, r), dsigma = resultOf(spread + 4, r), slope;
            float share = scales[r].x;
            EACH(p, i) {
                float s = sigma.part[p][i];
                slope.part[p][i] = s > root(STD_FLOOR) ? share * dsigma.part[p][i] / s : 0;
                flat[r].part[p][i] = share * dmean.part[p][i] - slope.part[p][i] * mean.part[p][i];
            }
            if (counts[r]) putRow(f.coefficients + (row[r] * 4 + 3) * D, slope);
        }
        float4 extreme[8] = {};
        statsBackward(extreme, dz, scales, 1, 2);
        UNROLL for (int r = 0; r < 2; r++) {
            Row high = resultOf(extreme, r), low = resultOf(extreme + 4, r);
            Row most = rowAt(f.stats + row[r] * STATS + D), smallest = rowAt(f.stats + row[r] * STATS + 2 * D);
            EACH(p, i) {
                if (most.part[p][i] == smallest.part[p][i]) flat[r].part[p][i] += high.part[p][i] + low.part[p][i]; // every message is both
            }
            float *out = f.coefficients + row[r] * 4 * D;
            if (!counts[r]) continue;
            putRow(out, flat[r]);
            putRow(out + D, high);
            putRow(out + 2 * D, low);
        }
    }
    // Lanes of one t hold the same columns of different rows.
    UNROLL for (int k = 0; k < 3; k++) {
        EACH(p, i) UNROLL for (int with = 4; with < 32; with *= 2) sums[k].part[p][i] += exchange(sums[k].part[p][i], with);
        if (lane() < 4) putRow(f.parts + (((long)blockX() * 8 + warp()) * 3 + k) * D, sums[k]);
    }
}
