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

template <int W, int AGGREGATE> INLINE void aggregate(float *stats, float *parts, const Call &c, const Side &in) {
    int s = blockX() * WARPS + warp();
    if (s >= in.count) return;
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
    if (p.part >= 0) {
        leave<AGGREGATE>(parts + (b * in.parts + p.part) * statsOf(AGGREGATE) * W + p.own, joined, W);
        return;
    }
    long row = b * c.nodes + p.node;
    take<AGGREGATE>(joined, c.set[row] * c.query[b * W + p.own]);
    finish<AGGREGATE>(stats + row * statsOf(AGGREGATE) * W + p.own, joined, c.scale[p.node].x, c.mean, W);
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

// giveTwo passes the gradient of two messages to their relation.
template <int W, int AGGREGATE, bool CHECKED>
INLINE void giveTwo(Running &r, float *runs, u8 *ties, const Bend &s, const int4 *e, const float *h, const float *rel, int i, int count) {
    float4 head[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) {
        head[k] = rowAt<W>(h, e[k].x);
        vector[k] = rowAt<W>(rel, e[k].y);
    }
    UNROLL for (int k = 0; k < AHEAD; k++) {
        if (CHECKED && i + k >= count) continue;
        if (e[k].z != r.run) {
            *(float4 *)(runs + (long)r.run * W) = r.sum;
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

template <int W, int AGGREGATE>
INLINE void inward(float *runs, u8 *ties, const float *coefficients, const float *stats, const Call &c, const Side &in, int allRuns, int places) {
    int s = blockX() * WARPS + warp();
    if (s >= in.count) return;
    Place p = placeOf(in, s);
    long b = blockY(), row = b * c.nodes + p.node;
    const float *h = c.hidden + b * c.nodes * W + p.column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    runs += b * allRuns * W + p.column;
    ties += ((b * (W / 32) + blockZ()) * places + p.first) * 8 + lane() % 8;
    Bend bend = bendAt<W, AGGREGATE>(coefficients + row * coefficientsOf(AGGREGATE) * W + p.column, stats + row * statsOf(AGGREGATE) * W + p.column);
    int4 e[AHEAD], next[AHEAD];
    int i = 0;
    recordsAt(e, p, 0, false);
    Running r = {{0, 0, 0, 0}, e[0].z};
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, p, i + AHEAD, false);
        giveTwo<W, AGGREGATE, false>(r, runs, ties, bend, e, h, rel, i, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, p, i, true);
        giveTwo<W, AGGREGATE, true>(r, runs, ties, bend, e, h, rel, i, p.count);
    }
    if (p.count > 0) *(float4 *)(runs + (long)r.run * W) = r.sum;
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
INLINE void outward(float *dhidden, float *parts, const u8 *ties, const float *coefficients, const Call &c, const Side &out, int places) {
    int s = blockX() * WARPS + warp();
    if (s >= out.count) return;
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

#define FOR(W, AGGREGATE, agg)                                                                                         \
    KERNEL aggregate##W##_##agg(float *stats, float *parts, Call c, Side in) BOUNDS(128, 8) { aggregate<W, AGGREGATE>(stats, parts, c, in); } \
    KERNEL inward##W##_##agg(float *runs, u8 *ties, const float *coefficients, const float *stats, Call c, Side in, int allRuns, int places) BOUNDS(128, 7) { \
        inward<W, AGGREGATE>(runs, ties, coefficients, stats, c, in, allRuns, places);                                 \
    }                                                                                                                  \
    KERNEL outward##W##_##agg(float *dhidden, float *parts, const u8 *ties, const float *coefficients, Call c, Side out, int places) BOUNDS(128, 8) { \
        outward<W, AGGREGATE>(dhidden, parts, ties, coefficients, c, out, places);                                     \
    }
FOR(32, SUM, sum)
FOR(32, PNA, pna)
FOR(64, SUM, sum)
FOR(64, PNA, pna)
