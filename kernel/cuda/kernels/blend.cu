// Rows of probabilities put together with logits of another origin: a block per row.
#include "device.cuh"

const float EPSILON = 1e-10f, LOG2E = 1.4426950408889634f;

KERNEL blend(float *prob, const float *z, const float *own, const float *other, long nodes) BOUNDS(256) {
    SHARED float slot[32];
    float *p = prob + blockX() * nodes;
    const float *logits = z + blockX() * nodes;
    float highest = logits[0], a = own[blockX()], b = other[blockX()] * LOG2E;
    for (long v = thread(); v < nodes; v += threads()) highest = larger(highest, logits[v]);
    highest = blockMax(highest, slot);
    for (long v = thread(); v < nodes; v += threads()) {
        float odds = (p[v] + EPSILON) / (1 - p[v] + EPSILON);
        float x = a * log2Of(odds) + b * (logits[v] - highest);
        p[v] = 1 / (1 + power2(-x));
    }
}
