// The loss of rows of logits with their gradient, a block per row, and the step of Adagrad.
#include "device.cuh"

const float LOG2E = 1.4426950408889634f, LN2 = 0.6931471805599453f;

KERNEL cross_entropy(float *losses, float *z, const int *first, const int *targets, const float *weights, long nodes) BOUNDS(512) {
    SHARED float slot[32];
    SHARED double wide[32];
    int b = blockX(), from = first[b], to = first[b + 1];
    float *x = z + b * nodes, highest = x[0];
    for (long v = thread(); v < nodes; v += threads()) highest = larger(highest, x[v]);
    highest = blockMax(highest, slot);
    double hit = 0, sum = 0;
    for (int i = from + thread(); i < to; i += threads()) hit += x[targets[i]] - highest;
    hit = blockSum(hit, wide);
    barrier();
    for (long v = thread(); v < nodes; v += threads()) {
        float e = power2((x[v] - highest) * LOG2E);
        x[v] = e;
        sum += e;
    }
    sum = blockSum(sum, wide);
    float n = to - from, scale = weights[b] * (float)(n / sum);
    for (long v = thread(); v < nodes; v += threads()) x[v] *= scale;
    barrier();
    for (int i = from + thread(); i < to; i += threads()) x[targets[i]] -= weights[b];
    if (thread() == 0) losses[b] = n * LN2 * log2Of((float)sum) - (float)hit;
}

KERNEL adagrad(float *param, const float *grad, float *squares, float rate, long n) {
    long i = at();
    if (i >= n) return;
    float g = grad[i], s = squares[i] + g * g;
    squares[i] = s;
    param[i] -= rate * g / (root(s) + 1e-10f);
}
