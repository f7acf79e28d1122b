// What the heads on the tensor cores share.
#pragma once
#include "tensor.cuh"

// exponential by the hardware's 2^x; what the product with log2(e) loses is put back.
INLINE float exponential(float x) {
    const float log2e = 1.44269502f, rest = 1.92596303e-8f;
    float y = x * log2e, lost = fma(x, log2e, -y) + x * rest, z = power2(y);
    return fma(z, lost * 0.693147182f, z);
}

INLINE float sigmoid(float x) { return 1 / (1 + (x > -80 ? exponential(-x) : exponential(80))); }

// Rows are the two rows of a lane in a tile of 16; one beyond the last is that row again, and does not count.
struct Rows {
    int row[2];
    bool counts[2];
};

INLINE Rows rowsOf(int tile, int rows) {
    Rows p;
    UNROLL for (int r = 0; r < 2; r++) {
        int row = tile * 16 + 8 * r + lane() / 4;
        p.counts[r] = row < rows;
        p.row[r] = p.counts[r] ? row : rows - 1;
    }
    return p;
}

// addRow adds to a row in memory.
INLINE void addRow(float *to, const Row &more) {
    Row x = rowAt(to);
    EACH(p, i) x.part[p][i] += more.part[p][i];
    putRow(to, x);
}

// putSum writes a row summed over the warp's rows.
INLINE void putSum(float *to, Row x) {
    EACH(p, i) UNROLL for (int with = 4; with < 32; with *= 2) x.part[p][i] += exchange(x.part[p][i], with);
    if (lane() < 4) putRow(to, x);
}
