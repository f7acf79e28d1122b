// Linears of many short rows on the tensor cores, with the precision of float32 (tensor.cuh): what alternating computes for every
// relation of every sample. A block makes factors of the weights, once, and its warps take 16 rows at a time.
#include "tensor.cuh"

struct Linear {
    float *out;                     // (rows, N)
    const float *x, *weight, *bias; // (rows, K), (N, K), (N)
    long rows;
    int relu, pad;
};

SHARED Right factors[48 * 32]; // 8×8 factors, as many as the largest has

template <int K, int N> INLINE void makeFactors(const float *weight) {
    for (int f = warp(); f < K * N / 64; f += threads() / 32) {
        int step = f / (N / 8), tile = f % (N / 8), g = lane() / 4, t = lane() % 4;
        const float *row = weight + (tile / 4 * 32 + columnOf(tile % 4, g)) * K + step / 4 * 32;
        factors[f * 32 + lane()] = rightOf(row[depthOf(step % 4, t)], row[depthOf(step % 4, t + 4)]);
    }
    barrier();
}

// putLinear writes 32 columns of a row from column first on.
INLINE void putLinear(const Linear &l, float *to, const float *bias, Row z) {
    Row more = oddRowAt(bias);
    EACH(p, i) {
        z.part[p][i] += more.part[p][i];
        if (l.relu) z.part[p][i] = larger(z.part[p][i], 0);
    }
    putRow(to, z);
}

template <int K, int N> INLINE void linearRows(const Linear &l) {
    makeFactors<K, N>(l.weight);
    for (long tile = (long)blockX() * 8 + warp(); tile * 16 < l.rows; tile += (long)blocksX() * 8) {
        long row[2]; // one beyond the last is that row again, and written again alike
        UNROLL for (int r = 0; r < 2; r++) {
            row[r] = tile * 16 + 8 * r + lane() / 4;
            if (row[r] >= l.rows) row[r] = l.rows - 1;
        }
        Row x[K / 32][2];
        UNROLL for (int k = 0; k < K / 32; k++) UNROLL for (int r = 0; r < 2; r++) x[k][r] = rowAt(l.x + row[r] * K + 32 * k);
        float4 sum[N / 8] = {};
        UNROLL for (int step = 0; step < K / 8; step++) {
            Left a = leftOf(x[step / 4][0], x[step / 4][1], step % 4);
            UNROLL for (int n = 0; n < N / 8; n++) multiplyAdd(sum[n], a, factors[(step * (N / 8) + n) * 32 + lane()]);
        }
        UNROLL for (int r = 0; r < 2; r++) UNROLL for (int n = 0; n < N / 32; n++) putLinear(l, l.out + row[r] * N + 32 * n, l.bias + 32 * n, resultOf(sum + 4 * n, r));
    }
}

KERNEL linear32_32(Linear l) BOUNDS(256, 2) { linearRows<32, 32>(l); }
KERNEL linear32_64(Linear l) BOUNDS(256, 2) { linearRows<32, 64>(l); }
KERNEL linear96_32(Linear l) BOUNDS(256, 2) { linearRows<96, 32>(l); }
