// Rows on their way to shared memory in the background, and columns of them as factors of a product over rows.
#pragma once
#include "device.cuh"

// awaitStage waits until all stages but the last one closed are there, for the whole block.
INLINE void awaitStage() {
    awaitCopies();
    barrier();
}

// columnAt is four numbers of one column: rows t, t+4, t+8 and t+12. Rows of 8 numbers more than a
// multiple of 32 fall into different banks.
INLINE float4 columnAt(const float *x, int padded) { return (float4){x[0], x[4 * padded], x[8 * padded], x[12 * padded]}; }

// sumRows adds up what multiplyStage makes of a block's rows, perBlock of them, so many in a stage while the next stage arrives.
// The file that includes this says what a stage is, and how bringStage and multiplyStage treat it.
template <int rows, class Stage, class Sum, class From> INLINE void sumRows(Sum &sum, Stage *stages, const From &f, long perBlock) {
    long from = (long)blockX() * perBlock, end = from + perBlock < f.rows ? from + perBlock : f.rows;
    bringStage(stages, f, from, end);
    int now = 0;
    for (long first = from; first < end; first += rows, now = 1 - now) {
        bringStage(stages + 1 - now, f, first + rows, end);
        awaitStage();
        multiplyStage(sum, stages + now);
        barrier();
    }
}

// addParts is cell number cell of all blocks' parts, in a fixed order; it is whole in the first warp of a block of 8.
INLINE float addParts(const float *parts, int blocks, int cells, int cell) {
    SHARED float sums[8][32];
    float sum = 0;
    _Pragma("unroll 8") for (int b = warp(); b < blocks; b += 8) sum += parts[(long)b * cells + cell];
    sums[warp()][lane()] = sum;
    barrier();
    if (warp() == 0) for (int w = 1; w < 8; w++) sum += sums[w][lane()];
    return sum;
}
