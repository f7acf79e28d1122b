// What relations tell each other through the entities they meet in (plain/meet.go defines it), for every width:
// a lane per column. Entities pick up what their relations say, then relations what their entities pass on,
// each by its list, so that nothing needs atomics.
#include "device.cuh"

// meet_table: table (B,R,D) = weight · (first of r + second of r⁻¹), two columns of D at an offset in rows of a stride.
KERNEL meet_table(float *table, const float *in, const float *weight, const int *inverse, int relations, int d, int stride, int offset, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    long row = i / d;
    int c = i % d, r = row % relations;
    long other = row - r + inverse[r];
    table[i] = weight[r] * (in[row * stride + offset + c] + in[other * stride + offset + d + c]);
}

// sumOf adds up the rows of a table that a list names, four loads under way at a time.
INLINE float sumOf(const float *table, const int *list, int from, int to, int d) {
    float sum = 0;
    int k = from;
    for (; k + 4 <= to; k += 4) {
        float a = fetch(table + (long)list[k] * d), b = fetch(table + (long)list[k + 1] * d);
        float c = fetch(table + (long)list[k + 2] * d), e = fetch(table + (long)list[k + 3] * d);
        sum += (a + b) + (c + e);
    }
    for (; k < to; k++) sum += fetch(table + (long)list[k] * d);
    return sum;
}

// meet_entities: what every entity passes on, a warp each: what it heard times its state, or backward what it was told
// times its state; then the state's gradient is the product of the two. No states are ones, without a gradient.
KERNEL meet_entities(float *passed, float *dstates, const float *states, const float *heard, const float *told, const int *first, const int *list,
                     int entities, int relations, int d) BOUNDS(256) {
    int v = blockX() * 8 + warp();
    if (v >= entities) return;
    int from = first[v], to = first[v + 1];
    long sample = blockY(), row = (sample * entities + v) * d;
    for (int c = lane(); c < d; c += 32) {
        long table = sample * relations * d + c;
        float x = states ? states[row + c] : 1, s = 0;
        if (!told || dstates) s = sumOf(heard + table, list, from, to, d);
        if (told) {
            float t = sumOf(told + table, list, from, to, d);
            if (dstates) dstates[row + c] += t * s;
            s = t;
        }
        passed[row + c] = x * s;
    }
}

// meet_part: the sum over a chunk {relation, first, behind the last, 0} of a relation's entities, a warp each.
KERNEL meet_part(float *part, const float *passed, const int4 *chunks, const int *list, int count, int entities, int d) BOUNDS(256) {
    int k = blockX() * 8 + warp();
    if (k >= count) return;
    int4 chunk = chunks[k];
    long sample = blockY();
    for (int c = lane(); c < d; c += 32) part[(sample * count + k) * d + c] = sumOf(passed + sample * entities * d + c, list, chunk.y, chunk.z, d);
}

// meet_total: the sum of a relation's chunks, weighed.
KERNEL meet_total(float *total, const float *part, const float *weight, const int *first, int count, int relations, int d, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    long row = i / d, sample = row / relations;
    int c = i % d, r = row % relations;
    float sum = 0;
    for (int k = first[r]; k < first[r + 1]; k++) sum += part[(sample * count + k) * d + c];
    total[i] = weight[r] * sum;
}

// meet_out: a relation's state, and the totals of its heads and of its tails.
KERNEL meet_out(float *out, const float *states, const float *total, const int *inverse, int relations, int d, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    long row = i / d;
    int c = i % d, r = row % relations;
    out += row * 3 * d + c;
    out[0] = states[i];
    out[d] = total[i];
    out[2 * d] = total[(row - r + inverse[r]) * d + c];
}

// meet_out_backward: the totals are now those of the gradients of what entities heard.
KERNEL meet_out_backward(float *dstates, float *dmessages, const float *dout, const float *total, const int *inverse, int relations, int d, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    long row = i / d;
    int c = i % d, r = row % relations;
    dstates[i] += dout[row * 3 * d + c];
    dmessages[row * 2 * d + c] += total[i];
    dmessages[row * 2 * d + d + c] += total[(row - r + inverse[r]) * d + c];
}
