// The Linear, norm, ReLU and short cut of a layer of width 64 with one statistic, a sum, mean or
// maximum, on the tensor cores: z = W·[h, x] + b. A row is two halves of 32 columns. A warp takes 32
// rows forward, 16 backward.
#include "tensor.cuh"

const int HALF = 32, D = 64, FEATURES = 2 * D;
const int STEPS = FEATURES / 8, TILES_N = D / 8;           // forward: 8×8 factors, step by step
const int PAIR_STEPS = D / 16, PAIR_TILES = FEATURES / 8;  // backward: 16×8 factors
const int WARPS = 12; // of a block forward, one to a multiprocessor: 168 registers each
const float NORM_EPSILON = 1e-5f;

// pack_forward lays the weight out as right factors: k-step by k-step its 8 n-tiles.
KERNEL sum64_pack_forward(Right *out, const float *weight) BOUNDS(32) {
    int f = blockX(), g = lane() / 4, t = lane() % 4;
    int step = f / TILES_N, tile = f % TILES_N;
    int column = tile / 4 * HALF + columnOf(tile % 4, g);
    float x[2];
    UNROLL for (int i = 0; i < 2; i++) x[i] = weight[column * FEATURES + step / 4 * HALF + depthOf(step % 4, t + 4 * i)];
    out[f * 32 + lane()] = rightOf(x[0], x[1]);
}

// pack_backward: the same transposed, in pairs: for each of 4 k-steps of dz the 16 n-tiles of the features.
KERNEL sum64_pack_backward(Right *out, const float *weight) BOUNDS(32) {
    int f = blockX(), g = lane() / 4, t = lane() % 4;
    int step = f / PAIR_TILES, tile = f % PAIR_TILES;
    int column = tile / 4 * HALF + columnOf(tile % 4, g);
    float x[4];
    UNROLL for (int i = 0; i < 4; i++) x[i] = weight[(step * 16 + 4 * t + i) * FEATURES + column];
    out[f * 32 + lane()] = rightPairs(x[0], x[1], x[2], x[3]);
}

DYNAMIC(Right, factors);

INLINE void loadFactors(const Right *packed, int count) {
    for (int i = thread(); i < count * 32; i += threads()) factors[i] = packed[i];
    barrier();
}

// Wide is a row of 64, in halves.
struct Wide {
    Row half[2];
};

#define EVERY(h, p, i) UNROLL for (int h = 0; h < 2; h++) EACH(p, i)

INLINE Wide wideAt(const float *x) { return {{rowAt(x), rowAt(x + HALF)}}; }
INLINE Wide oddWideAt(const float *x) { return {{oddRowAt(x), oddRowAt(x + HALF)}}; }
INLINE void putWide(float *x, const Wide &w) {
    putRow(x, w.half[0]);
    putRow(x + HALF, w.half[1]);
}
INLINE Wide wideResult(const float4 *sum, int second) { return {{resultOf(sum, second), resultOf(sum + 4, second)}}; }

// Norm of a row.
struct Norm {
    float mean, inverse;
};

INLINE Norm normOf(const Wide &z) {
    Norm n;
    n.mean = (total(z.half[0]) + total(z.half[1])) / D;
    float square = 0;
    EVERY(h, p, i) square += (z.half[h].part[p][i] - n.mean) * (z.half[h].part[p][i] - n.mean);
    n.inverse = 1 / root(quadSum(square) / D + NORM_EPSILON);
    return n;
}

struct Forward {
    float *out, *linear; // either may be nil
    const float *hidden, *stats;
    const Right *packed;
    const float *bias, *scale, *shift;
    long rows;
};

const int TILES = 2; // of 16 rows that a warp takes at a time: every factor read serves both

// rowOf is the row a lane holds in tile m, r says which of two; the last is taken again where there are no more.
INLINE long rowOf(long first, int m, int r, long rows) {
    long row = first + 16 * m + 8 * r + lane() / 4;
    return row < rows ? row : rows - 1;
}

// linearOf multiplies the features of the rows, 32 at a time, with the weight; the bias is not yet added.
INLINE void linearOf(float4 sum[TILES][TILES_N], const Forward &f, long first) {
    _Pragma("unroll 1") for (int piece = 0; piece < 4; piece++) {
        const float *from = (piece < 2 ? f.hidden : f.stats) + piece % 2 * HALF;
        Row x[TILES][2];
        UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) x[m][r] = rowAt(from + rowOf(first, m, r, f.rows) * D);
        UNROLL for (int step = 0; step < 4; step++) {
            const Right *b = factors + (piece * 4 + step) * TILES_N * 32 + lane();
            Left a[TILES];
            UNROLL for (int m = 0; m < TILES; m++) a[m] = leftOf(x[m][0], x[m][1], step);
            UNROLL for (int tile = 0; tile < TILES_N; tile++) {
                Right factor = b[tile * 32];
                UNROLL for (int m = 0; m < TILES; m++) multiplyAdd(sum[m][tile], a[m], factor);
            }
        }
    }
}

// finishRow ends a row: bias, norm, ReLU and short cut.
INLINE void finishRow(const Forward &f, const float4 *sum, int r, long row) {
    Wide z = wideResult(sum, r), bias = oddWideAt(f.bias);
    EVERY(h, p, i) z.half[h].part[p][i] += bias.half[h].part[p][i];
    if (f.linear) putWide(f.linear + row * D, z);
    if (!f.out) return;
    Norm norm = normOf(z);
    Wide before = wideAt(f.hidden + row * D), scale = oddWideAt(f.scale), shift = oddWideAt(f.shift), out;
    EVERY(h, p, i) out.half[h].part[p][i] =
        larger((z.half[h].part[p][i] - norm.mean) * norm.inverse * scale.half[h].part[p][i] + shift.half[h].part[p][i], 0) + before.half[h].part[p][i];
    putWide(f.out + row * D, out);
}

KERNEL sum64_forward(Forward f) BOUNDS(32 * WARPS, 1) {
    loadFactors(f.packed, STEPS * TILES_N);
    const int ROWS = 16 * TILES;
    for (long tile = (long)blockX() * WARPS + warp(); tile * ROWS < f.rows; tile += (long)blocksX() * WARPS) {
        float4 sum[TILES][TILES_N] = {};
        linearOf(sum, f, tile * ROWS);
        // Rows beyond the last are the last again, and written again alike.
        UNROLL for (int m = 0; m < TILES; m++) UNROLL for (int r = 0; r < 2; r++) finishRow(f, sum[m], r, rowOf(tile * ROWS, m, r, f.rows));
    }
}

struct Backward {
    float *dz, *dstats, *dhidden;
    float *parts; // (warps of the grid, 3, D): gradients of scale, shift and bias
    const float *dout, *linear;
    const Right *packed;
    const float *scale, *shift;
    const float4 *scales; // {1/deg, …}
    long rows;
    int nodes, mean;
    int fresh, pad; // fresh: dhidden is overwritten
};

// Columns are a lane's 16 of a row of 64, or sums of them over rows: number 8h+4p+i is that of part p, i in half h.
struct Columns {
    float of[16];
};

// kept adds what the other lane hands over to the one of two that is this lane's.
INLINE float kept(float low, float high, bool upper, int with) { return (upper ? high : low) + exchange(upper ? low : high, with); }

// scattered adds up over the eight lanes that hold the same columns of different rows; each is left with two of the 16:
// every exchange hands over the half that the other lane keeps. The lane's are those from left() on.
INLINE float2 scattered(const Columns &c) {
    float a[8], b[4], x[2];
    bool first = lane() & 16, second = lane() & 8, third = lane() & 4;
    UNROLL for (int i = 0; i < 8; i++) a[i] = kept(c.of[i], c.of[8 + i], first, 16);
    UNROLL for (int i = 0; i < 4; i++) b[i] = kept(a[i], a[4 + i], second, 8);
    UNROLL for (int i = 0; i < 2; i++) x[i] = kept(b[i], b[2 + i], third, 4);
    return (float2){x[0], x[1]};
}
INLINE int left() { return (lane() & 16) * 2 + (lane() & 8) * 2 + lane() % 4 * 4 + (lane() & 4) / 2; }

// Sums are those over a warp's rows: of the gradients of scale and shift, and of dz.
struct Sums {
    Columns scale, shift, bias;
};

// normBackward turns dout into dz and adds the row to the sums, where it counts.
INLINE Wide normBackward(Sums &sums, Wide d, Wide z, const float *scales, const float *shifts, bool counts) {
    Norm norm = normOf(z);
    float sum = 0, sumNorm = 0; // Σ dn and Σ dn·n
    UNROLL for (int h = 0; h < 2; h++) {
        Row scale = rowAt(scales + h * HALF), shift = rowAt(shifts + h * HALF);
        EACH(p, i) {
            float n = (z.half[h].part[p][i] - norm.mean) * norm.inverse, x = d.half[h].part[p][i];
            if (!counts || n * scale.part[p][i] + shift.part[p][i] <= 0) x = 0;
            sums.scale.of[8 * h + 4 * p + i] += x * n;
            sums.shift.of[8 * h + 4 * p + i] += x;
            x *= scale.part[p][i];
            sum += x;
            sumNorm += x * n;
            z.half[h].part[p][i] = n;
            d.half[h].part[p][i] = x;
        }
    }
    sum = quadSum(sum);
    sumNorm = quadSum(sumNorm);
    EVERY(h, p, i) {
        d.half[h].part[p][i] = norm.inverse * (d.half[h].part[p][i] - (sum + z.half[h].part[p][i] * sumNorm) / D);
        sums.bias.of[8 * h + 4 * p + i] += d.half[h].part[p][i];
    }
    return d;
}

// featuresBackward multiplies dz with the weights of the state, or of the statistic.
INLINE void featuresBackward(float4 *sum, const Wide *dz, int first) {
    UNROLL for (int step = 0; step < PAIR_STEPS; step++) {
        Left a = leftPairs(dz[0].half[step / 2].part[step % 2], dz[1].half[step / 2].part[step % 2]);
        UNROLL for (int tile = 0; tile < 8; tile++) multiplyAddPairs(sum[tile], a, factors[(step * PAIR_TILES + first + tile) * 32 + lane()]);
    }
}

KERNEL sum64_backward(Backward f) BOUNDS(256, 2) {
    SHARED float scale[D], shift[D];
    if (thread() < D) {
        scale[thread()] = f.scale[thread()];
        shift[thread()] = f.shift[thread()];
    }
    loadFactors(f.packed, PAIR_STEPS * PAIR_TILES);
    float2 total[3] = {};
    for (long tile = (long)blockX() * 8 + warp(); tile * 16 < f.rows; tile += (long)blocksX() * 8) {
        long row[2];
        bool counts[2];
        Wide dz[2];
        Sums sums = {};
        UNROLL for (int r = 0; r < 2; r++) {
            row[r] = tile * 16 + 8 * r + lane() / 4;
            counts[r] = row[r] < f.rows;
            if (!counts[r]) row[r] = f.rows - 1;
            dz[r] = normBackward(sums, wideAt(f.dout + row[r] * D), wideAt(f.linear + row[r] * D), scale, shift, counts[r]);
            if (counts[r]) putWide(f.dz + row[r] * D, dz[r]);
        }
        total[0] += scattered(sums.scale);
        total[1] += scattered(sums.shift);
        total[2] += scattered(sums.bias);
        float4 own[8] = {};
        featuresBackward(own, dz, 0);
        UNROLL for (int r = 0; r < 2; r++) if (counts[r]) {
            float *to = f.dhidden + row[r] * D;
            Wide more = wideResult(own, r);
            UNROLL for (int h = 0; h < 2; h++) {
                Row dh = {}, dout = rowAt(f.dout + row[r] * D + h * HALF);
                if (!f.fresh) dh = rowAt(to + h * HALF);
                EACH(p, i) dh.part[p][i] += dout.part[p][i] + more.half[h].part[p][i]; // the short cut, and the state's own columns
                putRow(to + h * HALF, dh);
            }
        }
        float4 other[8] = {};
        featuresBackward(other, dz, 8);
        UNROLL for (int r = 0; r < 2; r++) if (counts[r]) {
            Wide dx = wideResult(other, r);
            float share = f.mean ? f.scales[row[r] % f.nodes].x : 1;
            EVERY(h, p, i) dx.half[h].part[p][i] *= share;
            putWide(f.dstats + row[r] * D, dx);
        }
    }
    UNROLL for (int k = 0; k < 3; k++) *(float2 *)(f.parts + (((long)blockX() * 8 + warp()) * 3 + k) * D + left()) = total[k];
}
