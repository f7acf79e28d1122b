// A graph as the kernels see it. Both sides are cut into segments of at most 128 edges of
// one node, so that a hub is many equal pieces of work; every node has at least one. A
// segment is four strands, of which a warp takes an edge each at a time.
#pragma once
#include "device.cuh"

struct Side {
    const int4 *segments; // {node, part or −1 where the node has one segment only, edges of the shortest strand, of the longest}
    const int2 *strands;  // of every segment four: {first place, edges}
    const int4 *edges;    // In: {head, relation, run, 0}; Out: {tail, relation, place of the edge in In, run}; some more follow the last
    const int4 *split;    // nodes of several segments: {node, first part, parts, 0}
    const int2 *of;       // (V) segments of each node: first, and behind the last
    int count, splits, parts, pad;
};

const int STRANDS = 4;

// Call is what every kernel of a layer reads. Sample b is the y of the grid, a tile of 32
// columns its z, a segment or a node its x; a lane is a column.
struct Call {
    const float *hidden;    // (B,V,D)
    const float *set;       // (B,V)
    const float *query;     // (B,D)
    const float *relations; // (U,R,W)
    const int *relationOf;  // (B)
    const float4 *scale;    // (V) {share = 1/deg, s, 1/max(s, 0.01), in-degree}
    int nodes, tables, width, mean;
};

const int DISTMULT = 0, TRANSE = 1, ROTATE = 2, SUB = 3, CORR = 4;
const int SUM = 0, MEAN = 1, MAX = 2, PNA = 3, DIRECTED = 4, BASES = 5;
const float STD_FLOOR = 1e-6f;
// Numbers per node and column that backward leaves for the edges: for PNA the gradient of a message m is flat + slope·m, and
// high more where it is the largest, low more where it is the smallest. Where largest and smallest
// are the same, all messages are both, and flat already says so: no tie has to be looked up.
const int PNA_COEFFICIENTS = 4, FLAT = 0, HIGH = 1, LOW = 2, SLOPE = 3;

INLINE int coefficientsOf(int aggregate) { return aggregate == PNA ? PNA_COEFFICIENTS : 1; }
INLINE int statsOf(int aggregate) { return aggregate == PNA ? 4 : 1; }

// Moments collect the messages of a node.
struct Moments {
    float sum, square, high, low;
};

INLINE Moments noMessages() {
    const float infinity = __builtin_inff();
    return {0, 0, -infinity, infinity};
}

template <int AGGREGATE> INLINE void take(Moments &s, float m) {
    if (AGGREGATE == SUM || AGGREGATE == PNA) s.sum += m;
    if (AGGREGATE == PNA) s.square = fma(m, m, s.square);
    if (AGGREGATE == MAX || AGGREGATE == PNA) s.high = larger(s.high, m);
    if (AGGREGATE == PNA) s.low = smaller(s.low, m);
}

template <int AGGREGATE> INLINE void join(Moments &s, const float *part, int width) {
    if (AGGREGATE == SUM) s.sum += part[0];
    if (AGGREGATE == MAX) s.high = larger(s.high, part[0]);
    if (AGGREGATE != PNA) return;
    s.sum += part[0];
    s.square += part[width];
    s.high = larger(s.high, part[2 * width]);
    s.low = smaller(s.low, part[3 * width]);
}

// leave writes the moments of a segment whose node has others.
template <int AGGREGATE> INLINE void leave(float *part, const Moments &s, int width) {
    if (AGGREGATE != PNA) {
        part[0] = AGGREGATE == SUM ? s.sum : s.high;
        return;
    }
    part[0] = s.sum;
    part[width] = s.square;
    part[2 * width] = s.high;
    part[3 * width] = s.low;
}

// finish writes the statistics of a node, all its messages taken.
template <int AGGREGATE> INLINE void finish(float *stats, const Moments &s, float share, int mean, int width) {
    if (AGGREGATE == SUM) stats[0] = mean ? s.sum * share : s.sum;
    if (AGGREGATE == MAX) stats[0] = s.high;
    if (AGGREGATE != PNA) return;
    float average = s.sum * share;
    stats[0] = average;
    stats[width] = s.high;
    stats[2 * width] = s.low;
    stats[3 * width] = root(larger(s.square * share - average * average, STD_FLOOR));
}

// Slopes are what backward knows of a node's messages in one column.
struct Slopes {
    float flat, high, low, slope, most, least;
};

template <int AGGREGATE> INLINE Slopes slopesOf(const float *coefficient, const float *stats, int width) {
    Slopes s = {};
    s.flat = coefficient[0];
    if (AGGREGATE == MAX) s.most = stats[0];
    if (AGGREGATE != PNA) return s;
    s.high = coefficient[HIGH * width];
    s.low = coefficient[LOW * width];
    s.slope = coefficient[SLOPE * width];
    s.most = stats[width];
    s.least = stats[2 * width];
    if (s.most == s.least) s.most = s.least = __builtin_nanf("");
    return s;
}

// gradient of the message m.
template <int AGGREGATE> INLINE float gradient(const Slopes &s, float m) {
    if (AGGREGATE == SUM) return s.flat;
    if (AGGREGATE == MAX) return m == s.most ? s.flat : 0;
    float dm = fma(s.slope, m, s.flat);
    if (m == s.most) dm += s.high;
    if (m == s.least) dm += s.low;
    return dm;
}

template <int KIND> INLINE float message(float h, float rel) { return KIND == DISTMULT ? h * rel : h + rel; }

// The ties of an edge are a byte for every four columns: bit k for a maximum in the k-th of them, bit 4+k for a minimum.
