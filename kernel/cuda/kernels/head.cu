// The head for every width and number of states; its products are matmul's.
#include "device.cuh"

// head_features: rows of [state 0, …, state n−1, query]; states holds their addresses.
KERNEL head_features(float *out, const float *const *states, const float *query, int count, long firstRow, int nodes, int d, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    int f = (count + 1) * d, k = i % f;
    long row = firstRow + i / f;
    out[i] = k < count * d ? states[k / d][row * d + k % d] : query[row / nodes * d + k % d];
}

// head_output: prob = sigmoid(bias + weight·middle), a warp per row.
KERNEL head_output(float *prob, const float *middle, const float *weight, const float *bias, int f, long rows) BOUNDS(256) {
    long row = (long)blockX() * 8 + warp();
    if (row >= rows) return;
    float sum = 0;
    for (int k = lane(); k < f; k += 32) sum = fma(weight[k], middle[row * f + k], sum);
    float logit = bias[0] + warpSum(sum), y = -logit * 1.44269502f;
    float lost = fma(-logit, 1.44269502f, -y) - logit * 1.92596303e-8f;
    float z = power2(y < 120 ? y : 120);
    if (lane() == 0) prob[row] = 1 / (1 + fma(z, lost * 0.693147182f, z));
}

// head_output_backward turns middle into its gradient, and writes the terms of dweight and dbias.
KERNEL head_output_backward(float *middle, float *dweight, float *dlogit, const float *dprob, const float *prob, const float *weight, int f, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    long row = i / f;
    int k = i % f;
    float p = prob[row], d = dprob[row] * p * (1 - p), m = middle[i];
    if (k == 0) dlogit[row] = d;
    dweight[i] = d * m;
    middle[i] = m > 0 ? d * weight[k] : 0;
}

// head_split adds the gradient of the features to the states'; the query's part it writes apart.
KERNEL head_split(float *const *dstates, float *dquery, const float *dfeature, int count, long firstRow, int d, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    int f = (count + 1) * d, k = i % f;
    long row = i / f;
    if (k < count * d) dstates[k / d][(firstRow + row) * d + k % d] += dfeature[i];
    else dquery[row * d + k % d] = dfeature[i];
}
