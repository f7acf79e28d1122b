// What a reader wants of rows that stay here: their sums, their highest values, and the little above a bound.
// A block takes a segment of a row; what segments come to is put together in their order.
#include "device.cuh"

const int SEGMENT = 4096; // evidence.go has the same
const float EPSILON = 1e-10f;

// observe turns probabilities into odds, those of marked entities into 0, and gives sum and highest of the segment.
KERNEL observe(double *sums, float *tops, float *sets, const u8 *marks, long nodes) BOUNDS(256) {
    SHARED double slot[32];
    SHARED float high[32];
    long row = blockY() * nodes, from = (long)blockX() * SEGMENT;
    double sum = 0;
    float top = 0;
    for (long v = from + thread(); v < from + SEGMENT && v < nodes; v += threads()) {
        float p = sets[row + v], x = marks[row + v] ? 0 : (p + EPSILON) / (1 - p + EPSILON);
        sets[row + v] = x;
        sum += x;
        top = larger(top, x);
    }
    sum = blockSum(sum, slot);
    top = blockMax(top, high);
    if (thread() > 0) return;
    long part = (long)blockY() * blocksX() + blockX();
    sums[part] = sum;
    tops[part] = top;
}

KERNEL count_above(int *counts, const float *sets, const float *bounds, long nodes) BOUNDS(256) {
    SHARED float slot[32];
    long row = blockY() * nodes, from = (long)blockX() * SEGMENT;
    float bound = bounds[blockY()], count = 0; // exact: a segment has few
    for (long v = from + thread(); v < from + SEGMENT && v < nodes; v += threads())
        if (sets[row + v] > bound) count++;
    count = blockSum(count, slot);
    if (thread() == 0) counts[(long)blockY() * blocksX() + blockX()] = (int)count;
}

// list_above writes them in order, those of a segment from first on: eight warps in turn, and lanes within a warp.
KERNEL list_above(int *entities, float *values, const float *sets, const float *bounds, const int *first, long nodes) BOUNDS(256) {
    SHARED int found[8];
    long row = blockY() * nodes, from = (long)blockX() * SEGMENT;
    float bound = bounds[blockY()];
    long part = (long)blockY() * blocksX() + blockX();
    int place = first[part];
    if (first[part + 1] == place) return;
    for (long start = from; start < from + SEGMENT && start < nodes; start += 256) {
        long v = start + thread();
        float x = v < nodes ? sets[row + v] : 0;
        bool isAbove = v < nodes && x > bound;
        u32 set = ballot(isAbove);
        if (lane() == 0) found[warp()] = __builtin_popcount(set);
        barrier();
        int before = 0, all = 0;
        UNROLL for (int w = 0; w < 8; w++) {
            if (w < warp()) before += found[w];
            all += found[w];
        }
        if (isAbove) {
            int to = place + before + __builtin_popcount(set & ((1u << lane()) - 1));
            entities[to] = (int)v;
            values[to] = x;
        }
        place += all;
        barrier();
    }
}
