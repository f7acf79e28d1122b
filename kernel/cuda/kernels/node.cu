// What happens at a node, for every width: norm, ReLU and short cut, and the coefficients by which
// its messages get their gradients.
#include "graph.cuh"

const float NORM_EPSILON = 1e-5f;

// Norm is mean and 1/√(variance + ε) of a row, a warp's.
struct Norm {
    float mean, inverse;
};

INLINE Norm normOf(const float *z, int d) {
    float sum = 0, square = 0;
    for (int c = lane(); c < d; c += 32) sum += z[c];
    float mean = warpSum(sum) / d;
    for (int c = lane(); c < d; c += 32) square += (z[c] - mean) * (z[c] - mean);
    return {mean, 1 / root(warpSum(square) / d + NORM_EPSILON)};
}

// norm_forward: out = ReLU(LayerNorm(z)) + before, a warp per row.
KERNEL norm_forward(float *out, const float *z, const float *scale, const float *shift, const float *before, int d, long rows) BOUNDS(256) {
    long row = (long)blockX() * 8 + warp();
    if (row >= rows) return;
    z += row * d;
    Norm norm = normOf(z, d);
    for (int c = lane(); c < d; c += 32) out[row * d + c] = larger((z[c] - norm.mean) * norm.inverse * scale[c] + shift[c], 0) + before[row * d + c];
}

// norm_backward writes dz, and for the sums over rows the gradient of scale and shift of every row. It adds the short cut to dhidden.
KERNEL norm_backward(float *dz, float *dscale, float *dshift, float *dhidden, const float *dout, const float *z, const float *scale, const float *shift,
                     int d, long rows) BOUNDS(256) {
    long row = (long)blockX() * 8 + warp();
    if (row >= rows) return;
    z += row * d;
    Norm norm = normOf(z, d);
    float sum = 0, sumNorm = 0; // Σ dn and Σ dn·n, n the normalised z
    for (int c = lane(); c < d; c += 32) {
        float n = (z[c] - norm.mean) * norm.inverse, x = dout[row * d + c];
        dhidden[row * d + c] += x;
        if (n * scale[c] + shift[c] <= 0) x = 0;
        dscale[row * d + c] = x * n;
        dshift[row * d + c] = x;
        sum += x * scale[c];
        sumNorm += x * scale[c] * n;
    }
    sum = warpSum(sum);
    sumNorm = warpSum(sumNorm);
    for (int c = lane(); c < d; c += 32) {
        float n = (z[c] - norm.mean) * norm.inverse;
        dz[row * d + c] = norm.inverse * (dshift[row * d + c] * scale[c] - (sum + n * sumNorm) / d);
    }
}

// coefficients turns the gradient of a row's statistics into what its edges need; x is a column of a row.
// PNA: with n messages and σ the std, a message's gradient is dmean/n + dσ·(m − mean)/(n·σ), and dmax or
// dmin more where it holds the maximum or minimum.
KERNEL coefficients(float *out, const float *dstats, const float *stats, const float4 *scales, int nodes, int aggregate, int d, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    long row = i / d;
    int c = i % d;
    float share = scales[row % nodes].x;
    if (aggregate != PNA) {
        out[i] = aggregate == MEAN ? share * dstats[i] : dstats[i];
        return;
    }
    const float *s = stats + row * 4 * d + c, *ds = dstats + row * 4 * d + c;
    float sigma = s[3 * d], slope = sigma > root(STD_FLOOR) ? share * ds[3 * d] / sigma : 0;
    float flat = share * ds[0] - slope * s[0], high = ds[d], low = ds[2 * d];
    out += row * PNA_COEFFICIENTS * d + c;
    out[FLAT] = s[d] == s[2 * d] ? flat + high + low : flat; // every message is the largest and the smallest
    out[HIGH * d] = high;
    out[LOW * d] = low;
    out[SLOPE * d] = slope;
}

// query_backward: the boundary set_v·query is a message too; of sample y the rows from 256·x on.
template <int AGGREGATE> INLINE void queryBackward(float *part, const float *coefficients, const float *stats, const Call &call) {
    SHARED float sums[8][32];
    int c = blockZ() * 32 + lane(), d = call.width, from = blockX() * 256;
    long b = blockY();
    float sum = 0, q = c < d ? call.query[b * d + c] : 0;
    for (int v = from + warp(); v < least(from + 256, call.nodes); v += 8) {
        long row = b * call.nodes + v;
        float x = call.set[row];
        if (x == 0 || c >= d) continue; // most sets are small
        Slopes slopes = slopesOf<AGGREGATE>(coefficients + row * coefficientsOf(AGGREGATE) * d + c, stats + row * statsOf(AGGREGATE) * d + c, d);
        sum += x * gradient<AGGREGATE>(slopes, x * q);
    }
    sums[warp()][lane()] = sum;
    barrier();
    if (warp() > 0 || c >= d) return;
    for (int w = 1; w < 8; w++) sum += sums[w][lane()];
    part[(b * blocksX() + blockX()) * d + c] = sum;
}
KERNEL query_backward_sum(float *part, const float *coefficients, const float *stats, Call c) BOUNDS(256) { queryBackward<SUM>(part, coefficients, stats, c); }
KERNEL query_backward_max(float *part, const float *coefficients, const float *stats, Call c) BOUNDS(256) { queryBackward<MAX>(part, coefficients, stats, c); }
KERNEL query_backward_pna(float *part, const float *coefficients, const float *stats, Call c) BOUNDS(256) { queryBackward<PNA>(part, coefficients, stats, c); }

// boundary: out (B,V,D) = set · query; of sample y the rows from 64·x on, a warp eight of them.
KERNEL boundary(float *out, const float *set, const float *query, int nodes, int d) BOUNDS(256) {
    int from = blockX() * 64 + warp() * 8;
    long b = blockY();
    for (int c = lane(); c < d; c += 32) {
        float q = query[b * d + c];
        for (int v = from; v < least(from + 8, nodes); v++) out[(b * nodes + v) * d + c] = set[b * nodes + v] * q;
    }
}
