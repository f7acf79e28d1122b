// The Linear of PNA at width 32 for the nodes of one degree at a time (linear_pna.cu takes them as they come).
//
// Nodes of one degree share the scalers s and t, so that their Linear is Wh·h + (W0 + s·W1 + t·W2)·x with x the 4·D
// statistics: 160 columns by 32 in the place of 32 by 32 and 128 by 96, which is 2.6 times less. The weights of every degree are
// packed once for a layer, and a block takes rows of one degree, of all samples.
#include "linear_pna.cuh"

const int STEPS = 5 * 4, TILES_N = 4, FACTORS = STEPS * TILES_N; // 8×8 factors: k-step by k-step of the state, then of the statistics
const int TILES = 2, WARPS = 8, CHUNK = 768;                    // 16 rows each that a warp takes at a time; rows of a block

// A class is the nodes of one degree, {first in order, nodes}.
KERNEL pna32_pack_degrees(Right *out, const float *weight, const float4 *scales, const int *order, const int2 *classes) BOUNDS(256) {
    int f = blockX() * 8 + warp(), step = f / TILES_N, tile = f % TILES_N, g = lane() / 4, t = lane() % 4;
    float4 scaler = scales[order[classes[blockY()].x]];
    float x[2];
    UNROLL for (int i = 0; i < 2; i++) {
        int k = depthOf(step, t + 4 * i), column = columnOf(tile, g), stat = k / D - 1;
        if (stat < 0) x[i] = weight[column * FEATURES + k];
        else x[i] = fma(scaler.z, weightAt(weight, column, stat, k % D, 2), fma(scaler.y, weightAt(weight, column, stat, k % D, 1), weightAt(weight, column, stat, k % D, 0)));
    }
    out[((long)blockY() * FACTORS + f) * 32 + lane()] = rightOf(x[0], x[1]);
}

struct Degrees {
    float *out, *linear; // either may be nil
    const float *hidden, *stats;
    const Right *packed; // (classes, FACTORS)
    const float *bias, *scale, *shift;
    const u8 *marks;   // (B,V) of a first layer, or nil: the statistics of a node that is not marked are not read, its messages were zeros
    const int *order;  // (V) nodes by degree
    const int4 *chunks; // {class, first in order, nodes, number of the chunk among those of the class}
    int nodes, samples;
};

SHARED Right factors[FACTORS * 32];

// Rows are the four of a lane: of tile m, g and g+8. One beyond the last is that row again, and written again alike.
struct Places {
    long row[TILES][2];
    bool touched[TILES][2];
};

// placesOf: the rows of a class are its nodes in the first sample, in the second, and so on; those of a chunk begin at node offset of sample first.
INLINE Places placesOf(const Degrees &f, int4 chunk, int first, int offset, int count, int from) {
    Places p;
    UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) {
        u32 k = offset + least(from + 16 * m + 8 * r + lane() / 4, count - 1), sample = k / (u32)chunk.z;
        p.row[m][r] = (long)(first + (int)sample) * f.nodes + f.order[chunk.y + (k - sample * chunk.z)];
        p.touched[m][r] = !f.marks || f.marks[p.row[m][r]];
    }
    return p;
}

// statOf is a statistic of a row; of zeros the std is its floor.
INLINE Row statOf(const Degrees &f, long row, bool touched, int stat) {
    if (touched) return rowAt(f.stats + row * STATS + stat * D);
    Row x;
    EACH(p, i) x.part[p][i] = stat == 3 ? root(STD_FLOOR) : 0;
    return x;
}

INLINE void productSteps(float4 sum[TILES][TILES_N], const Row x[TILES][2], const Right *b) {
    UNROLL for (int step = 0; step < 4; step++) {
        Left a[TILES];
        UNROLL for (int m = 0; m < TILES; m++) a[m] = leftOf(x[m][0], x[m][1], step);
        UNROLL for (int tile = 0; tile < TILES_N; tile++) {
            Right factor = b[(step * TILES_N + tile) * 32];
            UNROLL for (int m = 0; m < TILES; m++) multiplyAdd(sum[m][tile], a[m], factor);
        }
    }
}

// linearOf multiplies the features of a warp's rows; where none was touched only the std counts.
INLINE void linearOf(float4 sum[TILES][TILES_N], const Degrees &f, const Places &p) {
    Row x[TILES][2];
    bool any = false;
    UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) any = any || p.touched[m][r];
    any = ballot(any) != 0;
    if (any) {
        UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) x[m][r] = rowAt(f.hidden + p.row[m][r] * D);
        productSteps(sum, x, factors + lane());
    }
    _Pragma("unroll 1") for (int stat = any ? 0 : 3; stat < 4; stat++) {
        UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) x[m][r] = statOf(f, p.row[m][r], p.touched[m][r], stat);
        productSteps(sum, x, factors + (1 + stat) * 4 * TILES_N * 32 + lane());
    }
}

KERNEL pna32_degrees(Degrees f) BOUNDS(32 * WARPS, 2) {
    int4 chunk = f.chunks[blockX()];
    for (int i = thread(); i < FACTORS * 32; i += threads()) factors[i] = f.packed[(long)chunk.x * FACTORS * 32 + i];
    barrier();
    long from = (long)chunk.w * CHUNK, rows = (long)chunk.z * f.samples - from;
    int count = rows < CHUNK ? rows : CHUNK, first = from / chunk.z, offset = from - (long)first * chunk.z;
    for (int tile = warp(); tile * 16 * TILES < count; tile += WARPS) {
        float4 sum[TILES][TILES_N] = {};
        Places p = placesOf(f, chunk, first, offset, count, tile * 16 * TILES);
        linearOf(sum, f, p);
        UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) {
            Row z = resultOf(sum[m], r), bias = oddRowAt(f.bias);
            EACH(q, i) z.part[q][i] += bias.part[q][i];
            putNode(f, p.row[m][r], z);
        }
    }
}
