// Matrix products on the tensor cores with the precision of float32: every number is the
// sum of two of 11 bits, tf32, and a product is three of theirs: high·high + high·low + low·high.
//
// One instruction multiplies 16×8 by 8×8. Lane 4g+t holds of the left factor rows g and
// g+8 at k = t and t+4, of the right one column g at the same k, of the result rows g and g+8 at columns
// 2t and 2t+1. Which number of memory is called k or column is free: here four k's of a lane, over two
// instructions, are four neighbours in memory, and so are four of its columns. A result then is,
// without any exchange, the left factor of the next product.
#pragma once
#include "device.cuh"

// columnOf is the column, of 32, that n-tile tile's column n stands for; the lane of n = 2t and
// 2t+1 so holds columns 16p+4t … 16p+4t+3 in tiles 2p and 2p+1.
INLINE int columnOf(int tile, int n) { return 16 * (tile / 2) + 4 * (n / 2) + 2 * (tile % 2) + n % 2; }
// depthOf is the same for the k's of step step.
INLINE int depthOf(int step, int k) { return 16 * (step / 2) + 4 * (k % 4) + 2 * (step % 2) + k / 4; }

// Halves is a number as two of tf32.
struct Halves {
    u32 high, low;
};

INLINE Halves halves(float x) {
    u32 high = narrowed(x);
    return {high, narrowed(x - __builtin_bit_cast(float, high))};
}

// Left is a 16×8 factor: rows g, g+8 at k = t, then at k = t+4.
struct Left {
    u32 high[4], low[4];
};

INLINE Left leftOf(float a, float b, float c, float d) {
    Halves x[4] = {halves(a), halves(b), halves(c), halves(d)};
    Left l;
    UNROLL for (int i = 0; i < 4; i++) {
        l.high[i] = x[i].high;
        l.low[i] = x[i].low;
    }
    return l;
}

// Right is an 8×8 factor as it lies in memory: {high k=t, high k=t+4, low k=t, low k=t+4} for every lane.
typedef u32 Right __attribute__((ext_vector_type(4)));

INLINE Right rightOf(float a, float b) {
    Halves x = halves(a), y = halves(b);
    return (Right){x.high, y.high, x.low, y.low};
}

// multiplyAdd: sum += a·b, the small products first.
INLINE void multiplyAdd(float4 &sum, const Left &a, Right b) {
    multiply(sum, a.low, b.x, b.y);
    multiply(sum, a.high, b.z, b.w);
    multiply(sum, a.high, b.x, b.y);
}

// Backward, where no kink of a ReLU waits for the last bit, does with two halves of 8 bits, bf16: errors
// near 1e-5, half the instructions, each of which multiplies 16×16 by 16×8. Lane 4g+t holds rows g and g+8 at four
// k's, 4t … 4t+3 of 16 by the same freedom as above.

INLINE Halves pairOf(float x, float y) {
    u32 high = packed(x, y);
    float restX = x - __builtin_bit_cast(float, high << 16), restY = y - __builtin_bit_cast(float, high & 0xffff0000u);
    return {high, packed(restX, restY)};
}

// leftPairs is a 16×16 factor: rows g and g+8 at the first two k's, then at the last two.
INLINE Left leftPairs(float4 a, float4 b) {
    Halves x[4] = {pairOf(a.x, a.y), pairOf(b.x, b.y), pairOf(a.z, a.w), pairOf(b.z, b.w)};
    Left l;
    UNROLL for (int i = 0; i < 4; i++) {
        l.high[i] = x[i].high;
        l.low[i] = x[i].low;
    }
    return l;
}

INLINE Right rightPairs(float a, float b, float c, float d) {
    Halves x = pairOf(a, b), y = pairOf(c, d);
    return (Right){x.high, y.high, x.low, y.low};
}

INLINE void multiplyAddPairs(float4 &sum, const Left &a, Right b) {
    multiplyPairs(sum, a.low, b.x, b.y);
    multiplyPairs(sum, a.high, b.z, b.w);
    multiplyPairs(sum, a.high, b.x, b.y);
}

// Row holds a lane's 8 of the 32 numbers of a row: columns 4t … 4t+3 and 16+4t … 16+4t+3.
struct Row {
    float4 part[2];
};

// rowAt reads them from aligned memory.
INLINE Row rowAt(const float *x) {
    Row r;
    UNROLL for (int p = 0; p < 2; p++) r.part[p] = *(const float4 *)(x + 16 * p + 4 * (lane() % 4));
    return r;
}

// oddRowAt reads them from anywhere: parameters are slices of one slab.
INLINE Row oddRowAt(const float *x) {
    Row r;
    UNROLL for (int p = 0; p < 2; p++) UNROLL for (int i = 0; i < 4; i++) r.part[p][i] = x[16 * p + 4 * (lane() % 4) + i];
    return r;
}

INLINE void putRow(float *x, const Row &r) {
    UNROLL for (int p = 0; p < 2; p++) *(float4 *)(x + 16 * p + 4 * (lane() % 4)) = r.part[p];
}

// left is k-step step of two rows, g and g+8.
INLINE Left leftOf(const Row &a, const Row &b, int step) {
    int p = step / 2, i = step % 2 * 2;
    return leftOf(a.part[p][i], b.part[p][i], a.part[p][i + 1], b.part[p][i + 1]);
}

// resultOf is rows g and g+8 of four n-tiles.
INLINE Row resultOf(const float4 *sum, int second) {
    Row r;
    UNROLL for (int tile = 0; tile < 4; tile++) {
        r.part[tile / 2][tile % 2 * 2] = second ? sum[tile].z : sum[tile].x;
        r.part[tile / 2][tile % 2 * 2 + 1] = second ? sum[tile].w : sum[tile].y;
    }
    return r;
}

// quadSum adds up over the four lanes that share a row.
INLINE float quadSum(float x) {
    x += exchange(x, 1);
    return x + exchange(x, 2);
}

INLINE float total(const Row &r) {
    float sum = 0;
    UNROLL for (int p = 0; p < 2; p++) UNROLL for (int i = 0; i < 4; i++) sum += r.part[p][i];
    return quadSum(sum);
}

#define EACH(p, i) UNROLL for (int p = 0; p < 2; p++) UNROLL for (int i = 0; i < 4; i++)
