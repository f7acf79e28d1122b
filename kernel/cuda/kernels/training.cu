// The loss and the optimiser, and the two functions they need and the hardware has only
// in low precision: logarithm and exponential in float64.
#include "device.cuh"

// logarithm: x = m·2^e with m in [√½, √2), log m = 2·atanh((m−1)/(m+1)) by its series.
INLINE double logarithm(double x) {
    long bits = __builtin_bit_cast(long, x);
    int e = (int)(bits >> 52) - 1022;
    double m = __builtin_bit_cast(double, (bits & 0x000fffffffffffffl) | 0x3fe0000000000000l);
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    double z = (m - 1) / (m + 1), z2 = z * z, sum = 0;
    UNROLL for (int k = 23; k >= 1; k -= 2) sum = sum * z2 + 1.0 / k;
    return 2 * z * sum + e * 0.69314718055994531;
}

// exponential: x = n·ln 2 + r with |r| ≤ ½ ln 2, e^r by its series; below −700 it is 0.
INLINE double exponential(double x) {
    if (!(x > -700)) return x != x ? x : 0;
    double n = floorOf(x * 1.4426950408889634 + 0.5);
    double r = (x - n * 0.693147180369123816) - n * 1.90821492927058770e-10;
    double sum = 1;
    UNROLL for (int k = 14; k >= 1; k--) sum = 1 + sum * r * (1.0 / k);
    return sum * __builtin_bit_cast(double, ((long)n + 1023) << 52);
}

const double EPSILON = 1e-10;

INLINE double logit(double p) { return logarithm((p + EPSILON) / (1 - p + EPSILON)); }

// truth is the probability given to what holds of an entity.
INLINE double truth(float p, bool isAnswer) { return (isAnswer ? (double)p : (double)(1 - p)) + EPSILON; }

// mark gives a value to the entities that are listed, row by row.
KERNEL mark(u8 *marks, const int *first, const int *items, long nodes, int value) {
    int b = blockY();
    long i = first[b] + at();
    if (i < first[b + 1]) marks[b * nodes + items[i]] = value;
}

// loss takes a block per sample through three passes over its entities: the largest
// negative logit, the sum of the softmax, then loss and gradient (METHOD "Training"). Marks are
// 0 for no answer, 1 for an answer, 2 for one that is known, which weighs `known` beside the others.
KERNEL loss(float *losses, float *dprob, const float *prob, const u8 *marks, const float *weights,
            int nodes, float known, float temperature) BOUNDS(1024) {
    SHARED double slot[32];
    int b = blockX();
    const float *p = prob + (long)b * nodes;
    const u8 *isAnswer = marks + (long)b * nodes;
    double heat = temperature, highest = -1e300, hidden = 0, found = 0;
    for (int v = thread(); v < nodes; v += threads()) {
        if (isAnswer[v] == 2) found += 1;
        else if (isAnswer[v]) hidden += 1;
        else highest = larger(highest, heat > 0 ? logit(p[v]) / heat : 0.0);
    }
    highest = blockMax(highest, slot);
    hidden = blockSum(hidden, slot);
    found = blockSum(found, slot);
    double share = hidden > 0 ? known : 1, positives = hidden + share * found; // all known: all alike
    double negatives = 0;
    for (int v = thread(); v < nodes; v += threads())
        if (!isAnswer[v]) negatives += exponential((heat > 0 ? logit(p[v]) / heat : 0.0) - highest);
    negatives = blockSum(negatives, slot);
    double total = (positives > 0) + (negatives > 0), sum = 0;
    for (int v = thread(); v < nodes; v += threads()) {
        double w = isAnswer[v] ? (isAnswer[v] == 2 ? share : 1) / positives : exponential((heat > 0 ? logit(p[v]) / heat : 0.0) - highest) / negatives;
        double t = truth(p[v], isAnswer[v]);
        sum -= w * logarithm(t / (1 + 2 * EPSILON));
        double d = weights[b] / total * w / t;
        if (dprob) dprob[(long)b * nodes + v] = (float)(isAnswer[v] ? -d : d);
    }
    sum = blockSum(sum, slot);
    if (thread() == 0) losses[b] = (float)(sum / total);
}

KERNEL adam(float *param, const float *grad, float *first, float *second, long n,
            float beta1, float beta2, float rest1, float rest2, float rate, float scale, float epsilon) {
    long i = at();
    if (i >= n) return;
    float g = grad[i];
    float m = beta1 * first[i] + rest1 * g;
    float v = beta2 * second[i] + rest2 * g * g;
    first[i] = m;
    second[i] = v;
    param[i] -= rate * m / (root(v) * scale + epsilon);
}
