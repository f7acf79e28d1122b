// What the Linears of PNA at width 32 share: how their weight lies, and what follows the product.
#pragma once
#include "tensor.cuh"

const int D = 32, FEATURES = 13 * D, STATS = 4 * D;
const float NORM_EPSILON = 1e-5f, STD_FLOOR = 1e-6f;

// weightAt is W's column for a scaler of a statistic: its order is ((d·4 + stat)·3 + scaler).
INLINE float weightAt(const float *weight, int out, int stat, int column, int scaler) {
    return weight[out * FEATURES + D + (column * 4 + stat) * 3 + scaler];
}

// Norm of a row.
struct Norm {
    float mean, inverse;
};

INLINE Norm normOf(const Row &z) {
    Norm n;
    n.mean = total(z) / D;
    float square = 0;
    EACH(p, i) square += (z.part[p][i] - n.mean) * (z.part[p][i] - n.mean);
    n.inverse = 1 / root(quadSum(square) / D + NORM_EPSILON);
    return n;
}

// putNode ends a row whose Linear is z: norm, ReLU and short cut.
template <class Call> INLINE void putNode(const Call &f, long row, const Row &z) {
    if (f.linear) putRow(f.linear + row * D, z);
    if (!f.out) return;
    Norm norm = normOf(z);
    Row before = rowAt(f.hidden + row * D), scale = oddRowAt(f.scale), shift = oddRowAt(f.shift), out;
    EACH(p, i) out.part[p][i] = larger((z.part[p][i] - norm.mean) * norm.inverse * scale.part[p][i] + shift.part[p][i], 0) + before.part[p][i];
    putRow(f.out + row * D, out);
}
