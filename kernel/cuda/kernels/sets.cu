// Fuzzy sets: pools (S,V) of which programs name the rows.
#include "device.cuh"

const int PRODUCT = 0, GODEL = 1;
const int NOT = 0, AND = 1;

// singletons: row slots[y] becomes the set of one entity.
KERNEL singletons(float *sets, const int *slots, const int *entities, int nodes) {
    long v = at();
    if (v < nodes) sets[(long)slots[blockY()] * nodes + v] = v == entities[blockY()] ? 1 : 0;
}

KERNEL threshold(float *sets, float lowest, long n) {
    long i = at();
    if (i < n && !(sets[i] > lowest)) sets[i] = 0;
}

// odds multiplies those of every probability by a factor.
KERNEL odds(float *sets, float factor, long n) {
    long i = at();
    if (i < n) sets[i] = factor * sets[i] / (1 + (factor - 1) * sets[i]);
}

// Sugeno's complement, and its derivative. λ comes as its bits, among the numbers of a step.
INLINE float complement(float x, int bits) { return (1 - x) / (1 + __builtin_bit_cast(float, bits) * x); }
INLINE float complementBackward(float x, int bits) {
    float lambda = __builtin_bit_cast(float, bits), below = 1 + lambda * x;
    return -(1 + lambda) / (below * below);
}

INLINE float apply(int logic, int op, float x, float y) {
    if (op == AND) return logic == PRODUCT ? x * y : logic == GODEL ? smaller(x, y) : larger(x + y - 1, 0);
    return logic == PRODUCT ? x + y * (1 - x) : logic == GODEL ? larger(x, y) : smaller(x + y, 1);
}

// applyBackward gives the partial derivatives; equal values of min and max get half each,
// and at a kink the flat side is taken.
INLINE float2 applyBackward(int logic, int op, float x, float y) {
    if (logic == PRODUCT) return op == AND ? (float2){y, x} : (float2){1 - y, 1 - x};
    if (logic == GODEL) {
        if (x == y) return (float2){0.5f, 0.5f};
        return (x < y) == (op == AND) ? (float2){1, 0} : (float2){0, 1};
    }
    bool passes = op == AND ? x + y - 1 > 0 : x + y < 1;
    return passes ? (float2){1, 1} : (float2){0, 0};
}

// A step is {op, out, x, y}; NOT has the bits of its λ in place of y. Those of one launch depend on none of the others.
KERNEL logic(float *sets, const int4 *steps, int kind, int nodes) {
    long v = at();
    if (v >= nodes) return;
    int4 s = steps[blockY()];
    float x = sets[(long)s.z * nodes + v];
    sets[(long)s.y * nodes + v] = s.x == NOT ? complement(x, s.w) : apply(kind, s.x, x, sets[(long)s.w * nodes + v]);
}

KERNEL logic_backward(float *dsets, const float *sets, const int4 *steps, int kind, int nodes) {
    long v = at();
    if (v >= nodes) return;
    int4 s = steps[blockY()];
    long x = (long)s.z * nodes + v, y = (long)s.w * nodes + v;
    float d = dsets[(long)s.y * nodes + v];
    if (s.x == NOT) {
        dsets[x] += d * complementBackward(sets[x], s.w);
        return;
    }
    float2 part = applyBackward(kind, s.x, sets[x], sets[y]);
    dsets[x] += d * part.x;
    dsets[y] += d * part.y; // after x, which may be the same
}

// traverse takes a thread per edge of the relation: {head, tail, id}. Truth values are not
// negative, so their bits are ordered like the numbers, and a maximum has no order.
KERNEL traverse(float *out, const float *in, const int *relations, const int *first, const int4 *edges, const u8 *dropped, int nodes) {
    int r = relations[blockY()];
    long i = first[r] + at();
    if (i >= first[r + 1]) return;
    int4 e = edges[i];
    if (dropped && dropped[e.z]) return;
    float x = in[(long)blockY() * nodes + e.x];
    if (x > 0) raise((u32 *)(out + (long)blockY() * nodes + e.y), __builtin_bit_cast(u32, x));
}

// ranks takes a block per hard answer, {row, entity}, and counts the entities that are no answers.
KERNEL ranks(int2 *out, const float *prob, const u8 *marks, const int2 *hard, int nodes) BOUNDS(256) {
    SHARED float slot[32];
    int2 a = hard[blockX()];
    const float *p = prob + (long)a.x * nodes;
    const u8 *isAnswer = marks + (long)a.x * nodes;
    float score = p[a.y];
    int greater = 0, equal = 0;
    for (int v = thread(); v < nodes; v += threads()) {
        float x = p[v];
        if (isAnswer[v]) continue;
        if (x == score) equal++;
        else if (!(x <= score)) greater++; // a NaN makes a rank worse
    }
    // Counts below 2^24 are exact in float32; a thread counts at most nodes/256 of each.
    float g = blockSum((float)(greater & 0xfff), slot), gh = blockSum((float)(greater >> 12), slot);
    float e = blockSum((float)(equal & 0xfff), slot), eh = blockSum((float)(equal >> 12), slot);
    if (thread() == 0) out[blockX()] = (int2){(int)g + ((int)gh << 12), (int)e + ((int)eh << 12)};
}

// cardinality: a block per row, in float64.
KERNEL cardinality(double *out, const float *sets, float lowest, long nodes) BOUNDS(256) {
    SHARED double slot[32];
    const float *x = sets + blockX() * nodes;
    double sum = 0;
    for (long v = thread(); v < nodes; v += threads())
        if (x[v] > lowest) sum += x[v];
    sum = blockSum(sum, slot);
    if (thread() == 0) out[blockX()] = sum;
}
