// Messages at widths of 32 and 64, as fast as the L2 gives them: a warp takes a segment, eight
// lanes each of its four strands, and a lane four columns, so that one load brings four rows.
// The rows of two edges a strand are under way at once, and the records of the next two.
#include "graph.cuh"

const int AHEAD = 2;
const int WARPS = 4; // of a block: they end together, or some wait

// rowAt reads four columns of a row of so many numbers.
template <int NUMBERS> INLINE float4 rowAt(const float *lane, int row) { return fetch((const float4 *)(lane + (long)row * NUMBERS)); }

// Place is what a lane works at.
struct Place {
    int node, part, shortest, longest;
    const int4 *edges; // of its strand
    int first, count;
    int column; // the first of four
    int own;    // the one that is left to it after gathered
};

INLINE Place placeOf(const Side &side, int s) {
    int4 segment = side.segments[s];
    int2 strand = side.strands[s * STRANDS + lane() / 8];
    int column = blockZ() * 32 + 4 * (lane() % 8);
    return {segment.x, segment.y, segment.z, segment.w, side.edges + strand.x, strand.x, strand.y, column, column + lane() / 8};
}

// recordsAt reads the records of edges i and i+1; beyond the end of a strand lie others' records, to read but not to use.
INLINE void recordsAt(int4 *e, const Place &p, int i, bool checked) {
    UNROLL for (int k = 0; k < AHEAD; k++) e[k] = fetch(p.edges + (checked ? least(i + k, p.count > 0 ? p.count - 1 : 0) : i + k));
}

struct Add {
    INLINE float of(float x, float y) { return x + y; }
};
struct Larger {
    INLINE float of(float x, float y) { return larger(x, y); }
};
struct Smaller {
    INLINE float of(float x, float y) { return smaller(x, y); }
};

// gathered joins the four strands; of its four columns a lane is left with one, the lane/8th: each
// exchange hands over the half that the other lane keeps.
template <class Op> INLINE float gathered(float4 x) {
    bool upper = lane() & 16, odd = lane() & 8;
    float a = Op::of(upper ? x.z : x.x, exchange(upper ? x.x : x.z, 16));
    float b = Op::of(upper ? x.w : x.y, exchange(upper ? x.y : x.w, 16));
    return Op::of(odd ? b : a, exchange(odd ? a : b, 8));
}

// Taken is the moments of a lane's four columns.
struct Taken {
    float4 sum, square, high, low;
};

// takeTwo takes edges i and i+1 of every strand; those beyond the end of a strand, if they are to be checked for, change nothing.
template <int W, int AGGREGATE, bool CHECKED> INLINE void takeTwo(Taken &t, const int4 *e, const float *h, const float *rel, int i, int count) {
    const float infinity = __builtin_inff();
    float4 head[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) {
        head[k] = rowAt<W>(h, e[k].x);
        vector[k] = rowAt<W>(rel, e[k].y);
    }
    UNROLL for (int k = 0; k < AHEAD; k++) UNROLL for (int n = 0; n < 4; n++) {
        float m = head[k][n] * vector[k][n];
        bool counts = !CHECKED || i + k < count;
        float summed = counts ? m : 0;
        t.sum[n] += summed;
        if (AGGREGATE != PNA) continue;
        t.square[n] = fma(summed, summed, t.square[n]);
        t.high[n] = larger(t.high[n], counts ? m : -infinity);
        t.low[n] = smaller(t.low[n], counts ? m : infinity);
    }
}

// conclude ends a segment in one of its columns: it is all of its node's, or a part.
template <int W, int AGGREGATE> INLINE void conclude(float *stats, float *parts, const Call &c, const Side &in, int node, int part, int column, Moments sum) {
    long b = blockY();
    if (part >= 0) {
        leave<AGGREGATE>(parts + (b * in.parts + part) * statsOf(AGGREGATE) * W + column, sum, W);
        return;
    }
    long row = b * c.nodes + node;
    take<AGGREGATE>(sum, c.set[row] * c.query[b * W + column]);
    finish<AGGREGATE>(stats + row * statsOf(AGGREGATE) * W + column, sum, c.scale[node].x, c.mean, W);
}

template <int W, int AGGREGATE> INLINE void aggregate(float *stats, float *parts, const Call &c, const Side &in, int s) {
    long b = blockY();
    Place p = placeOf(in, s);
    const float *h = c.hidden + b * c.nodes * W + p.column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    const float infinity = __builtin_inff();
    Taken t = {};
    t.high = (float4){-infinity, -infinity, -infinity, -infinity};
    t.low = -t.high;
    int4 e[AHEAD], next[AHEAD];
    int i = 0;
    recordsAt(e, p, 0, false);
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, p, i + AHEAD, false);
        takeTwo<W, AGGREGATE, false>(t, e, h, rel, 0, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, p, i, true);
        takeTwo<W, AGGREGATE, true>(t, e, h, rel, i, p.count);
    }
    Moments joined = noMessages();
    joined.sum = gathered<Add>(t.sum);
    if (AGGREGATE == PNA) {
        joined.square = gathered<Add>(t.square);
        joined.high = gathered<Larger>(t.high);
        joined.low = gathered<Smaller>(t.low);
    }
    conclude<W, AGGREGATE>(stats, parts, c, in, p.node, p.part, p.own, joined);
}

// A tie is a message that is the largest or the smallest of its tail's: backward needs to know of every edge in which columns it
// is one, and its tail knows it. Where largest and smallest are the same, all messages are both, and flat already says so.
struct Ties {
    float4 most, least;
};

template <int W> INLINE Ties tiesOf(const float *stats) {
    Ties t = {*(const float4 *)(stats + W), *(const float4 *)(stats + 2 * W)};
    UNROLL for (int n = 0; n < 4; n++) if (t.most[n] == t.least[n]) t.most[n] = t.least[n] = __builtin_nanf("");
    return t;
}

template <int W, bool CHECKED> INLINE void tieTwo(u8 *ties, const Ties &t, const int4 *e, const float *h, const float *rel, int i, int count) {
    float4 head[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) {
        head[k] = rowAt<W>(h, e[k].x);
        vector[k] = rowAt<W>(rel, e[k].y);
    }
    UNROLL for (int k = 0; k < AHEAD; k++) {
        u32 tie = 0;
        UNROLL for (int n = 0; n < 4; n++) {
            float m = head[k][n] * vector[k][n];
            if (m == t.most[n]) tie |= 1 << n;
            if (m == t.least[n]) tie |= 16 << n;
        }
        if (!CHECKED || i + k < count) ties[(i + k) * 8] = tie;
    }
}

// inward goes over the edges that reach a node and writes their ties.
template <int W> INLINE void inward(u8 *ties, const float *stats, const Call &c, const Side &in, int places, int s) {
    Place p = placeOf(in, s);
    long b = blockY();
    const float *h = c.hidden + b * c.nodes * W + p.column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    ties += ((b * (W / 32) + blockZ()) * places + p.first) * 8 + lane() % 8;
    Ties t = tiesOf<W>(stats + (b * c.nodes + p.node) * 4 * W + p.column);
    int4 e[AHEAD], next[AHEAD];
    int i = 0;
    recordsAt(e, p, 0, false);
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, p, i + AHEAD, false);
        tieTwo<W, false>(ties, t, e, h, rel, i, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, p, i, true);
        tieTwo<W, true>(ties, t, e, h, rel, i, p.count);
    }
}

// Runs is where the gradients of a sample's runs of equal relations go, and in a first layer which were left.
struct Runs {
    float *rows;
    u8 *left;
};

// Back is what a strand has brought back: the gradient of its node, and the sum over the run it is in.
struct Back {
    float4 gradient, sum;
    int run;
};

// endRun leaves a run, whose row is read much later.
template <int W, bool FIRST> INLINE void endRun(const Runs &runs, const Back &s, float4 h) {
    stream(runs.rows + (long)s.run * W, s.sum * h);
    if (FIRST && lane() % 8 == 0) runs.left[s.run] = 1;
}

// gradientsOf are those of two messages.
template <int W, int AGGREGATE> INLINE void gradientsOf(float4 *dm, const float4 *vector, const int4 *e, const u8 *ties, float4 h, const float *coefficients) {
    const int PER = AGGREGATE == PNA ? PNA_COEFFICIENTS * W : W;
    float4 slope[AHEAD];
    u32 tie[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) dm[k] = rowAt<PER>(coefficients, e[k].x);
    if (AGGREGATE != PNA) return;
    UNROLL for (int k = 0; k < AHEAD; k++) {
        tie[k] = fetch(ties + (long)e[k].z * 8);
        slope[k] = rowAt<PER>(coefficients + SLOPE * W, e[k].x);
    }
    UNROLL for (int k = 0; k < AHEAD; k++) {
        const float *tail = coefficients + (long)e[k].x * PER;
        float4 high, low;
        UNROLL for (int n = 0; n < 4; n++) {
            high[n] = fetchIf(tie[k] & 1 << n, tail + HIGH * W + n);
            low[n] = fetchIf(tie[k] & 16 << n, tail + LOW * W + n);
        }
        dm[k] += high + low;
        UNROLL for (int n = 0; n < 4; n++) dm[k][n] = fma(slope[k][n], h[n] * vector[k][n], dm[k][n]);
    }
}

// bringTwo brings the gradients of two messages back, to the node that sent them and to their relations.
template <int W, int AGGREGATE, bool FIRST, bool CHECKED>
INLINE void bringTwo(Back &s, const Runs &runs, const int4 *e, const u8 *ties, float4 h, const float *coefficients, const float *rel, int i, int count) {
    float4 dm[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) vector[k] = rowAt<W>(rel, e[k].y);
    gradientsOf<W, AGGREGATE>(dm, vector, e, ties, h, coefficients);
    UNROLL for (int k = 0; k < AHEAD; k++) {
        if (CHECKED && i + k >= count) continue;
        if (e[k].w != s.run) {
            endRun<W, FIRST>(runs, s, h);
            s.sum = (float4){0, 0, 0, 0};
            s.run = e[k].w;
        }
        s.sum += dm[k];
        UNROLL for (int n = 0; n < 4; n++) s.gradient[n] = fma(dm[k][n], vector[k][n], s.gradient[n]);
    }
}

// outward goes over the edges that a node has sent; at eight blocks to a multiprocessor it would run out of registers. The node owns its gradient, and its state is the same for all of them: the
// gradient of a relation is the state times the sum of the messages' gradients over a run.
template <int W, int AGGREGATE, bool FIRST>
INLINE void outward(float *dhidden, float *parts, Runs runs, const u8 *ties, const float *coefficients, const Call &c, const Side &out, int allRuns, int places, int s) {
    Place p = placeOf(out, s);
    long b = blockY(), row = b * c.nodes + p.node;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    coefficients += b * c.nodes * coefficientsOf(AGGREGATE) * W + p.column;
    ties += (b * (W / 32) + blockZ()) * places * 8 + lane() % 8;
    runs.rows += b * allRuns * W + p.column;
    if (FIRST) runs.left += b * allRuns;
    float4 h = *(const float4 *)(c.hidden + row * W + p.column);
    int4 e[AHEAD], next[AHEAD];
    int i = 0;
    recordsAt(e, p, 0, false);
    Back back = {{0, 0, 0, 0}, {0, 0, 0, 0}, e[0].w};
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, p, i + AHEAD, false);
        bringTwo<W, AGGREGATE, FIRST, false>(back, runs, e, ties, h, coefficients, rel, 0, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, p, i, true);
        bringTwo<W, AGGREGATE, FIRST, true>(back, runs, e, ties, h, coefficients, rel, i, p.count);
    }
    if (p.count > 0) endRun<W, FIRST>(runs, back, h);
    float own = gathered<Add>(back.gradient);
    if (p.part >= 0) parts[(b * out.parts + p.part) * W + p.own] = own;
    else dhidden[row * W + p.own] += own;
}

// segmentOf is the segment that a warp takes: one, or of a first layer, where most are soon done, several in turns.
INLINE int segmentOf(int turn) { return (turn * blocksX() + blockX()) * WARPS + warp(); }

#define FOR(W, AGGREGATE, agg)                                                                                         \
    KERNEL aggregate##W##_##agg(float *stats, float *parts, Call c, Side in) BOUNDS(128, 8) {                          \
        if (segmentOf(0) < in.count) aggregate<W, AGGREGATE>(stats, parts, c, in, segmentOf(0));                       \
    }                                                                                                                  \
    KERNEL outward##W##_##agg(float *dhidden, float *parts, float *runs, const u8 *ties, const float *coefficients, Call c, Side out, int allRuns, int places) BOUNDS(128, 7) { \
        if (segmentOf(0) < out.count) outward<W, AGGREGATE, false>(dhidden, parts, {runs, nullptr}, ties, coefficients, c, out, allRuns, places, segmentOf(0)); \
    }
#define TIES(W)                                                                                                        \
    KERNEL inward##W##_pna(u8 *ties, const float *stats, Call c, Side in, int places) BOUNDS(128, 8) {     \
        if (segmentOf(0) < in.count) inward<W>(ties, stats, c, in, places, segmentOf(0));                              \
    }
FOR(32, SUM, sum)
FOR(32, PNA, pna)
FOR(64, PNA, pna)
TIES(32)
TIES(64)

// A first layer's input is the boundary, and most sets are small. A node is touched where it is in the set or an edge from the
// set reaches it: all others get only zeros, and send only zeros. What is touched is computed as ever.

const int TURNS = 8; // segments of a warp

INLINE int lowest(u32 bits) { return __builtin_ctz(bits); }

// crowded tells of every sample whether its set is large, and then marks all of its nodes: to mark too many is
// only slow. A block takes a sample.
KERNEL crowded(u8 *marks, u8 *crowds, const float *set, int nodes) BOUNDS(1024) {
    SHARED double slot[32];
    long b = blockX();
    double members = 0;
    _Pragma("unroll 8") for (int v = thread(); v < nodes; v += 1024) members += set[b * nodes + v] != 0;
    bool large = blockSum(members, slot) > nodes / 8;
    if (thread() == 0) crowds[b] = large;
    if (large) for (int v = thread(); v < nodes; v += 1024) marks[b * nodes + v] = 1;
}

// touched marks them in the other samples, in marks (B,V) that were cleared: a warp per segment of Out, a lane per sample.
KERNEL touched(u8 *marks, const u8 *crowds, const float *set, Side out, int nodes, int samples) BOUNDS(256) {
    int s = blockX() * 8 + warp(), b = blockY() * 32 + lane();
    if (s >= out.count) return;
    int node = out.segments[s].x;
    u32 sending = ballot(b < samples && !crowds[b] && set[(long)b * nodes + node] != 0);
    if (sending == 0) return;
    int2 strand = out.strands[s * STRANDS + lane() / 8];
    int tails[4]; // a strand has 32 edges at most
    UNROLL for (int k = 0; k < 4; k++) tails[k] = lane() % 8 + 8 * k < strand.y ? out.edges[strand.x + lane() % 8 + 8 * k].x : node;
    for (; sending != 0; sending &= sending - 1) {
        u8 *of = marks + ((long)blockY() * 32 + lowest(sending)) * nodes;
        of[node] = 1;
        UNROLL for (int k = 0; k < 4; k++) of[tails[k]] = 1;
    }
}

// Turns are a warp's segments, each known to a lane: which have work to do, which have none.
struct Turns {
    int4 segment; // the lane's
    u32 busy, idle;
};

// turnsOf: a segment is busy where the mark of its node is not zero.
template <class Mark> INLINE Turns turnsOf(const Mark *marks, const Side &side, int nodes) {
    int s = segmentOf(lane());
    bool there = lane() < TURNS && s < side.count;
    Turns t = {};
    if (there) t.segment = side.segments[s];
    bool busy = there && marks[(long)blockY() * nodes + t.segment.x] != 0;
    t.busy = ballot(busy);
    t.idle = ballot(there && !busy);
    return t;
}

// aggregate32_pna_first writes the statistics of all nodes, or with sparse set those of touched ones; parts are joined everywhere.
KERNEL aggregate32_pna_first(float *stats, float *parts, Call c, Side in, const u8 *marks, int sparse) BOUNDS(128, 8) {
    Turns t = turnsOf(marks, in, c.nodes);
    if (sparse) t.idle &= ballot(t.segment.y >= 0);
    for (; t.idle != 0; t.idle &= t.idle - 1) {
        int turn = lowest(t.idle);
        conclude<32, PNA>(stats, parts, c, in, from(t.segment.x, turn), from(t.segment.y, turn), lane(), {0, 0, 0, 0});
    }
    for (; t.busy != 0; t.busy &= t.busy - 1) aggregate<32, PNA>(stats, parts, c, in, segmentOf(lowest(t.busy)));
}

KERNEL inward32_pna_first(u8 *ties, const float *stats, Call c, Side in, int places, const u8 *marks) BOUNDS(128, 8) {
    Turns t = turnsOf(marks, in, c.nodes);
    for (; t.busy != 0; t.busy &= t.busy - 1) inward<32>(ties, stats, c, in, places, segmentOf(lowest(t.busy)));
}

// outward32_pna_first leaves the gradient out where the set is zero; parts are joined everywhere.
KERNEL outward32_pna_first(float *dhidden, float *parts, float *runs, u8 *left, const u8 *ties, const float *coefficients, Call c, Side out, int allRuns, int places) BOUNDS(128, 7) {
    Turns t = turnsOf(c.set, out, c.nodes);
    u32 split = t.idle & ballot(t.segment.y >= 0);
    for (; split != 0; split &= split - 1) parts[((long)blockY() * out.parts + from(t.segment.y, lowest(split))) * 32 + lane()] = 0;
    for (; t.busy != 0; t.busy &= t.busy - 1) outward<32, PNA, true>(dhidden, parts, {runs, left}, ties, coefficients, c, out, allRuns, places, segmentOf(lowest(t.busy)));
}
