// Messages at widths of 32 and 64, as fast as the L2 gives them: a warp takes a segment, eight
// lanes each of its four strands, and a lane four columns, so that one load brings four rows.
// The rows of two edges a strand are under way at once, and the records of the next two.
#include "graph.cuh"

const int AHEAD = 2;
const int WARPS = 4; // of a block: they end together, or some wait

// rowAt reads four columns of a row of so many numbers.
template <int NUMBERS> INLINE float4 rowAt(const float *lane, int row) {
    const float *p = lane + (long)row * NUMBERS;
    float x, y, z, w;
    asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p));
    return (float4){x, y, z, w};
}

INLINE u32 byteAt(const u8 *p) {
    u32 x;
    asm volatile("ld.global.nc.u8 %0, [%1];" : "=r"(x) : "l"(p));
    return x;
}

// onlyIf reads a number where the bit is set, else it is 0.
INLINE float onlyIf(u32 bit, const float *p) {
    float x;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.f32 %0, 0f00000000; @p ld.global.nc.f32 %0, [%1]; }" : "=&f"(x) : "l"(p), "r"(bit));
    return x;
}

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

// Bend is Slopes of four columns.
struct Bend {
    float4 flat, high, low, slope, most, least;
};

template <int W, int AGGREGATE> INLINE Bend bendAt(const float *coefficients, const float *stats) {
    Bend s = {};
    s.flat = *(const float4 *)coefficients;
    if (AGGREGATE != PNA) return s;
    s.high = *(const float4 *)(coefficients + HIGH * W);
    s.low = *(const float4 *)(coefficients + LOW * W);
    s.slope = *(const float4 *)(coefficients + SLOPE * W);
    s.most = *(const float4 *)(stats + W);
    s.least = *(const float4 *)(stats + 2 * W);
    UNROLL for (int n = 0; n < 4; n++) if (s.most[n] == s.least[n]) s.most[n] = s.least[n] = __builtin_nanf("");
    return s;
}

// Running is the run of equal relations that a strand is in.
struct Running {
    float4 sum;
    int run;
};

// Runs is where inward leaves the sums of a sample's runs, and in a first layer which of them it left.
struct Runs {
    float *sums;
    u8 *left;
};

template <int W, bool FIRST> INLINE void leaveRun(const Runs &runs, const Running &r) {
    *(float4 *)(runs.sums + (long)r.run * W) = r.sum;
    if (FIRST && lane() % 8 == 0) runs.left[r.run] = 1;
}

// giveTwo passes the gradient of two messages to their relation.
template <int W, int AGGREGATE, bool FIRST, bool CHECKED>
INLINE void giveTwo(Running &r, const Runs &runs, u8 *ties, const Bend &s, const int4 *e, const float *h, const float *rel, int i, int count) {
    float4 head[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) {
        head[k] = rowAt<W>(h, e[k].x);
        vector[k] = rowAt<W>(rel, e[k].y);
    }
    UNROLL for (int k = 0; k < AHEAD; k++) {
        if (CHECKED && i + k >= count) continue;
        if (e[k].z != r.run) {
            leaveRun<W, FIRST>(runs, r);
            r.sum = (float4){0, 0, 0, 0};
            r.run = e[k].z;
        }
        u32 tie = 0;
        UNROLL for (int n = 0; n < 4; n++) {
            float m = head[k][n] * vector[k][n], dm = s.flat[n];
            if (AGGREGATE == PNA) {
                dm = fma(s.slope[n], m, dm);
                if (m == s.most[n]) {
                    dm += s.high[n];
                    tie |= 1 << n;
                }
                if (m == s.least[n]) {
                    dm += s.low[n];
                    tie |= 16 << n;
                }
            }
            r.sum[n] = fma(dm, head[k][n], r.sum[n]);
        }
        if (AGGREGATE == PNA) ties[(i + k) * 8] = tie;
    }
}

template <int W, int AGGREGATE, bool FIRST>
INLINE void inward(Runs runs, u8 *ties, const float *coefficients, const float *stats, const Call &c, const Side &in, int allRuns, int places, int s) {
    Place p = placeOf(in, s);
    long b = blockY(), row = b * c.nodes + p.node;
    const float *h = c.hidden + b * c.nodes * W + p.column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    runs.sums += b * allRuns * W + p.column;
    if (FIRST) runs.left += b * allRuns;
    ties += ((b * (W / 32) + blockZ()) * places + p.first) * 8 + lane() % 8;
    Bend bend = bendAt<W, AGGREGATE>(coefficients + row * coefficientsOf(AGGREGATE) * W + p.column, stats + row * statsOf(AGGREGATE) * W + p.column);
    int4 e[AHEAD], next[AHEAD];
    int i = 0;
    recordsAt(e, p, 0, false);
    Running r = {{0, 0, 0, 0}, e[0].z};
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, p, i + AHEAD, false);
        giveTwo<W, AGGREGATE, FIRST, false>(r, runs, ties, bend, e, h, rel, i, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, p, i, true);
        giveTwo<W, AGGREGATE, FIRST, true>(r, runs, ties, bend, e, h, rel, i, p.count);
    }
    if (p.count > 0) leaveRun<W, FIRST>(runs, r);
}

// tiesAt reads the ties of two edges.
template <int AGGREGATE> INLINE void tiesAt(u32 *tie, const u8 *ties, const int4 *e) {
    if (AGGREGATE == PNA) UNROLL for (int k = 0; k < AHEAD; k++) tie[k] = byteAt(ties + (long)e[k].z * 8);
}

// bringTwo brings the gradient of two messages back to the node that sent them.
template <int W, int AGGREGATE, bool CHECKED>
INLINE void bringTwo(float4 &sum, const int4 *e, const u32 *tie, float4 h, const float *coefficients, const float *rel, int i, int count) {
    const int PER = AGGREGATE == PNA ? PNA_COEFFICIENTS * W : W;
    float4 flat[AHEAD], slope[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) {
        flat[k] = rowAt<PER>(coefficients, e[k].x);
        if (AGGREGATE == PNA) slope[k] = rowAt<PER>(coefficients + SLOPE * W, e[k].x);
        vector[k] = rowAt<W>(rel, e[k].y);
    }
    if (AGGREGATE == PNA) UNROLL for (int k = 0; k < AHEAD; k++) {
        const float *tail = coefficients + (long)e[k].x * PER;
        float4 high, low;
        UNROLL for (int n = 0; n < 4; n++) {
            high[n] = onlyIf(tie[k] & 1 << n, tail + HIGH * W + n);
            low[n] = onlyIf(tie[k] & 16 << n, tail + LOW * W + n);
        }
        flat[k] += high + low;
    }
    UNROLL for (int k = 0; k < AHEAD; k++) UNROLL for (int n = 0; n < 4; n++) {
        float dm = AGGREGATE == PNA ? fma(slope[k][n], h[n] * vector[k][n], flat[k][n]) : flat[k][n];
        sum[n] = fma(!CHECKED || i + k < count ? dm : 0, vector[k][n], sum[n]);
    }
}

template <int W, int AGGREGATE>
INLINE void outward(float *dhidden, float *parts, const u8 *ties, const float *coefficients, const Call &c, const Side &out, int places, int s) {
    Place p = placeOf(out, s);
    long b = blockY(), row = b * c.nodes + p.node;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    coefficients += b * c.nodes * coefficientsOf(AGGREGATE) * W + p.column;
    ties += (b * (W / 32) + blockZ()) * places * 8 + lane() % 8;
    float4 h = *(const float4 *)(c.hidden + row * W + p.column), sum = {0, 0, 0, 0};
    int4 e[AHEAD], next[AHEAD];
    u32 tie[AHEAD] = {};
    int i = 0;
    recordsAt(e, p, 0, false);
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, p, i + AHEAD, false);
        tiesAt<AGGREGATE>(tie, ties, e);
        bringTwo<W, AGGREGATE, false>(sum, e, tie, h, coefficients, rel, 0, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, p, i, true);
        tiesAt<AGGREGATE>(tie, ties, e);
        bringTwo<W, AGGREGATE, true>(sum, e, tie, h, coefficients, rel, i, p.count);
    }
    float own = gathered<Add>(sum);
    if (p.part >= 0) parts[(b * out.parts + p.part) * W + p.own] = own;
    else dhidden[row * W + p.own] += own;
}

// segmentOf is the segment that a warp takes: one, or of a first layer, where most are soon done, several in turns.
INLINE int segmentOf(int turn) { return (turn * blocksX() + blockX()) * WARPS + warp(); }

#define FOR(W, AGGREGATE, agg)                                                                                         \
    KERNEL aggregate##W##_##agg(float *stats, float *parts, Call c, Side in) BOUNDS(128, 8) {                          \
        if (segmentOf(0) < in.count) aggregate<W, AGGREGATE>(stats, parts, c, in, segmentOf(0));                       \
    }                                                                                                                  \
    KERNEL inward##W##_##agg(float *runs, u8 *ties, const float *coefficients, const float *stats, Call c, Side in, int allRuns, int places) BOUNDS(128, 7) { \
        if (segmentOf(0) < in.count) inward<W, AGGREGATE, false>({runs, nullptr}, ties, coefficients, stats, c, in, allRuns, places, segmentOf(0)); \
    }                                                                                                                  \
    KERNEL outward##W##_##agg(float *dhidden, float *parts, const u8 *ties, const float *coefficients, Call c, Side out, int places) BOUNDS(128, 8) { \
        if (segmentOf(0) < out.count) outward<W, AGGREGATE>(dhidden, parts, ties, coefficients, c, out, places, segmentOf(0)); \
    }
FOR(32, SUM, sum)
FOR(32, PNA, pna)
FOR(64, PNA, pna)

// A first layer's input is the boundary, and most sets are small. A node is touched where it is in the set or an edge from the
// set reaches it: all others get only zeros, and send only zeros. What is touched is computed as ever.

const int TURNS = 8;

// touched marks them, in marks (B,V) that were cleared: a warp per segment of Out, a lane per sample.
KERNEL touched(u8 *marks, const float *set, Side out, int nodes, int samples) BOUNDS(256) {
    int s = blockX() * 8 + warp(), b = blockY() * 32 + lane();
    if (s >= out.count) return;
    int node = out.segments[s].x;
    u32 sending = ballot(b < samples && set[(long)b * nodes + node] != 0);
    if (sending == 0) return;
    int2 strand = out.strands[s * STRANDS + lane() / 8];
    int tails[4]; // a strand has 32 edges at most
    UNROLL for (int k = 0; k < 4; k++) tails[k] = lane() % 8 + 8 * k < strand.y ? out.edges[strand.x + lane() % 8 + 8 * k].x : node;
    for (; sending != 0; sending &= sending - 1) {
        u8 *of = marks + ((long)blockY() * 32 + __builtin_ctz(sending)) * nodes;
        of[node] = 1;
        UNROLL for (int k = 0; k < 4; k++) of[tails[k]] = 1;
    }
}

// busy has a bit for every turn of a warp at whose node the mark is not zero.
template <class Mark> INLINE u32 busy(const Mark *marks, const Side &side, int nodes) {
    int s = segmentOf(lane());
    return ballot(lane() < TURNS && s < side.count && marks[(long)blockY() * nodes + side.segments[s].x] != 0);
}

#define EACH_TURN(side) _Pragma("unroll 1") for (int turn = 0; turn < TURNS && segmentOf(turn) < side.count; turn++)

KERNEL aggregate32_pna_first(float *stats, float *parts, Call c, Side in, const u8 *marks) BOUNDS(128, 8) {
    u32 now = busy(marks, in, c.nodes);
    EACH_TURN(in) {
        int4 segment = in.segments[segmentOf(turn)];
        if (now >> turn & 1) aggregate<32, PNA>(stats, parts, c, in, segmentOf(turn));
        else conclude<32, PNA>(stats, parts, c, in, segment.x, segment.y, lane(), {0, 0, 0, 0});
    }
}

KERNEL inward32_pna_first(float *runs, u8 *left, u8 *ties, const float *coefficients, const float *stats, Call c, Side in, int allRuns, int places, const u8 *marks) BOUNDS(128, 7) {
    u32 now = busy(marks, in, c.nodes);
    EACH_TURN(in) if (now >> turn & 1) inward<32, PNA, true>({runs, left}, ties, coefficients, stats, c, in, allRuns, places, segmentOf(turn));
}

// outward32_pna_first leaves the gradient out where the set is zero; parts are joined everywhere.
KERNEL outward32_pna_first(float *dhidden, float *parts, const u8 *ties, const float *coefficients, Call c, Side out, int places) BOUNDS(128, 8) {
    u32 now = busy(c.set, out, c.nodes);
    EACH_TURN(out) {
        int part = out.segments[segmentOf(turn)].y;
        if (now >> turn & 1) outward<32, PNA>(dhidden, parts, ties, coefficients, c, out, places, segmentOf(turn));
        else if (part >= 0) parts[((long)blockY() * out.parts + part) * 32 + lane()] = 0;
    }
}
