// Messages at widths of 32 and 64, as fast as the L2 gives them: a warp takes a segment, eight
// lanes each of its four strands, and a lane four columns, so that one load brings four rows.
// A block fills a multiprocessor and takes a chunk of segments that are alike, so that the rows they share
// are in the L1; its warps take one segment after the other.
#include "graph.cuh"

// AHEAD is how many edges of a strand are under way at once; the records of the next are too. Backward has more to hold of each.
const int AHEAD = 2, AHEAD_BACK = 1;

// nextSegment hands the segments of a block's chunk to its warps. Which warp takes which makes no difference to any sum.
INLINE int nextSegment(int *taken, int chunk, int count) {
    int s = 0;
    if (lane() == 0) s = __nvvm_atom_add_gen_i(taken, 1);
    s = __nvvm_shfl_sync_idx_i32(~0u, s, 0, 31);
    int at = blockX() * chunk + s;
    return s < chunk && at < count ? at : -1;
}

#define EACH_SEGMENT(s, side, chunk)                  \
    SHARED int taken;                                 \
    if (thread() == 0) taken = 0;                     \
    barrier();                                        \
    for (int s; (s = nextSegment(&taken, chunk, side.count)) >= 0;)

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

// onlyIf reads four columns where bits are set; else they are whatever they are.
INLINE float4 onlyIf(u32 bits, const float *p) {
    float x, y, z, w;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4]; }" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p), "r"(bits));
    return (float4){x, y, z, w};
}

// Relation is the vector of the relation that a strand is at. Edges are sorted by relation, so only where it changes is it read,
// with the rows of the edges that follow, and taken over when its edge's turn comes.
template <int N> struct Relation {
    float4 vector, loaded[N];
    bool fresh[N];
    int last;
};

template <int N> INLINE Relation<N> noRelation() {
    Relation<N> r = {};
    r.last = -1;
    return r;
}

template <int W, int N, class Record> INLINE void read(Relation<N> &r, const float *rel, const Record *e) {
    UNROLL for (int k = 0; k < N; k++) {
        r.fresh[k] = e[k].y != r.last;
        r.loaded[k] = onlyIf(r.fresh[k], rel + (long)e[k].y * W);
        r.last = e[k].y;
    }
}

template <int N> INLINE void turn(Relation<N> &r, int k) {
    UNROLL for (int n = 0; n < 4; n++) r.vector[n] = r.fresh[k] ? r.loaded[k][n] : r.vector[n];
}

// Place is what a lane works at.
struct Place {
    int node, part, shortest, longest;
    int first, count; // of its strand
    int column; // the first of four
    int own;    // the one that is left to it after gathered
};

INLINE Place placeOf(const Side &side, int s) {
    int4 segment = side.segments[s];
    int2 strand = side.strands[s * STRANDS + lane() / 8];
    int column = blockZ() * 32 + 4 * (lane() % 8);
    return {segment.x, segment.y, segment.z, segment.w, strand.x, strand.y, column, column + lane() / 8};
}

// recordsAt reads the records of edges i, i+1, …; beyond the end of a strand lie others' records, to read but not to use.
template <int N, class Record> INLINE void recordsAt(Record *e, const Record *edges, int i, int count, bool checked) {
    UNROLL for (int k = 0; k < N; k++) e[k] = fetch(edges + (checked ? least(i + k, count > 0 ? count - 1 : 0) : i + k));
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

// takeSome takes edges i, i+1, … of every strand; those beyond the end of a strand, if they are to be checked for, change nothing.
template <int W, int AGGREGATE, bool CHECKED> INLINE void takeSome(Taken &t, Relation<AHEAD> &r, const int2 *e, const float *h, const float *rel, int i, int count) {
    const float infinity = __builtin_inff();
    float4 head[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) head[k] = rowAt<W>(h, e[k].x);
    read<W>(r, rel, e);
    UNROLL for (int k = 0; k < AHEAD; k++) {
        turn(r, k);
        bool counts = !CHECKED || i + k < count;
        UNROLL for (int n = 0; n < 4; n++) {
            float m = head[k][n] * r.vector[n], summed = counts ? m : 0;
            t.sum[n] += summed;
            if (AGGREGATE != PNA) continue;
            t.square[n] = fma(summed, summed, t.square[n]);
            t.high[n] = larger(t.high[n], counts ? m : -infinity);
            t.low[n] = smaller(t.low[n], counts ? m : infinity);
        }
    }
}

template <int W, int AGGREGATE> INLINE void aggregate(float *stats, float *parts, const Call &c, const Side &in, int s) {
    long b = blockY();
    Place p = placeOf(in, s);
    const float *h = c.hidden + b * c.nodes * W + p.column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    const float infinity = __builtin_inff();
    Taken t = {};
    Relation<AHEAD> r = noRelation<AHEAD>();
    t.high = (float4){-infinity, -infinity, -infinity, -infinity};
    t.low = -t.high;
    const int2 *edges = incoming(in) + p.first;
    int2 e[AHEAD], next[AHEAD];
    int i = 0;
    recordsAt<AHEAD>(e, edges, 0, 0, false);
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt<AHEAD>(next, edges, i + AHEAD, 0, false);
        takeSome<W, AGGREGATE, false>(t, r, e, h, rel, 0, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt<AHEAD>(e, edges, i, p.count, true);
        takeSome<W, AGGREGATE, true>(t, r, e, h, rel, i, p.count);
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

// markSome marks the ties of messages of every strand.
template <int W, bool CHECKED> INLINE void markSome(u8 *ties, Relation<AHEAD> &r, const int2 *e, float4 most, float4 smallest, const float *h, const float *rel, int i, int count) {
    float4 head[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) head[k] = rowAt<W>(h, e[k].x);
    read<W>(r, rel, e);
    UNROLL for (int k = 0; k < AHEAD; k++) {
        turn(r, k);
        u32 tie = 0;
        UNROLL for (int n = 0; n < 4; n++) {
            float m = head[k][n] * r.vector[n];
            if (m == most[n]) tie |= 1 << n;
            if (m == smallest[n]) tie |= 16 << n;
        }
        if (!CHECKED || i + k < count) ties[(i + k) * 8] = tie;
    }
}

template <int W> INLINE void tied(u8 *ties, const float *stats, const Call &c, const Side &in, int places, int s) {
    Place p = placeOf(in, s);
    long b = blockY(), row = b * c.nodes + p.node;
    const float *h = c.hidden + b * c.nodes * W + p.column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    ties += ((b * (W / 32) + blockZ()) * places + p.first) * 8 + lane() % 8;
    float4 most = *(const float4 *)(stats + (row * 4 + 1) * W + p.column), smallest = *(const float4 *)(stats + (row * 4 + 2) * W + p.column);
    UNROLL for (int n = 0; n < 4; n++) if (most[n] == smallest[n]) most[n] = smallest[n] = __builtin_nanf("");
    const int2 *edges = incoming(in) + p.first;
    Relation<AHEAD> r = noRelation<AHEAD>();
    int2 e[AHEAD], next[AHEAD];
    int i = 0;
    recordsAt<AHEAD>(e, edges, 0, 0, false);
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt<AHEAD>(next, edges, i + AHEAD, 0, false);
        markSome<W, false>(ties, r, e, most, smallest, h, rel, i, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt<AHEAD>(e, edges, i, p.count, true);
        markSome<W, true>(ties, r, e, most, smallest, h, rel, i, p.count);
    }
}

// Running is the run of equal relations that a strand is in, and the gradient of its messages so far.
struct Running {
    float4 dm;
    int run;
};

// endRun adds to the gradient of the node and leaves a row for that of the relation.
template <int W> INLINE void endRun(Running &at, float4 &sum, float4 vector, float4 h, float *runs) {
    float4 row;
    UNROLL for (int n = 0; n < 4; n++) {
        sum[n] = fma(at.dm[n], vector[n], sum[n]);
        row[n] = at.dm[n] * h[n];
    }
    *(float4 *)(runs + (long)at.run * W) = row;
    at.dm = (float4){0, 0, 0, 0};
}

// bring takes the gradient of messages back to the node that sent them.
template <int W, int AGGREGATE, bool CHECKED>
INLINE void bring(Running &at, Relation<AHEAD_BACK> &r, float4 &sum, const int4 *e, float4 h, const float *coefficients, const u8 *ties, const float *rel, float *runs, int i, int count) {
    const int PER = AGGREGATE == PNA ? PNA_COEFFICIENTS * W : W;
    float4 flat[AHEAD_BACK], slope[AHEAD_BACK], high[AHEAD_BACK], low[AHEAD_BACK];
    u32 tie[AHEAD_BACK];
    UNROLL for (int k = 0; k < AHEAD_BACK; k++) {
        if (AGGREGATE == PNA) tie[k] = byteAt(ties + (long)e[k].z * 8);
        flat[k] = rowAt<PER>(coefficients, e[k].x);
        if (AGGREGATE == PNA) slope[k] = rowAt<PER>(coefficients + SLOPE * W, e[k].x);
    }
    read<W>(r, rel, e);
    if (AGGREGATE == PNA) UNROLL for (int k = 0; k < AHEAD_BACK; k++) {
        const float *tail = coefficients + (long)e[k].x * PER;
        high[k] = onlyIf(tie[k] & 15, tail + HIGH * W);
        low[k] = onlyIf(tie[k] & 240, tail + LOW * W);
    }
    UNROLL for (int k = 0; k < AHEAD_BACK; k++) {
        if (CHECKED && i + k >= count) continue;
        if (e[k].w != at.run) {
            endRun<W>(at, sum, r.vector, h, runs);
            at.run = e[k].w;
        }
        turn(r, k);
        UNROLL for (int n = 0; n < 4; n++) {
            if (AGGREGATE == PNA) {
                if (tie[k] & 1 << n) flat[k][n] += high[k][n];
                if (tie[k] & 16 << n) flat[k][n] += low[k][n];
                flat[k][n] = fma(slope[k][n], h[n] * r.vector[n], flat[k][n]);
            }
            at.dm[n] += flat[k][n];
        }
    }
}

template <int W, int AGGREGATE>
INLINE void outward(float *dhidden, float *parts, float *runs, const u8 *ties, const float *coefficients, const Call &c, const Side &out, int allRuns, int places, int s) {
    Place p = placeOf(out, s);
    long b = blockY(), row = b * c.nodes + p.node;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    coefficients += b * c.nodes * coefficientsOf(AGGREGATE) * W + p.column;
    runs += b * allRuns * W + p.column;
    ties += (b * (W / 32) + blockZ()) * places * 8 + lane() % 8;
    float4 h = *(const float4 *)(c.hidden + row * W + p.column), sum = {0, 0, 0, 0};
    const int4 *edges = outgoing(out) + p.first;
    int4 e[AHEAD_BACK], next[AHEAD_BACK];
    int i = 0;
    recordsAt<AHEAD_BACK>(e, edges, 0, 0, false);
    Relation<AHEAD_BACK> r = noRelation<AHEAD_BACK>();
    Running at = {{0, 0, 0, 0}, e[0].w};
    for (; i + AHEAD_BACK <= p.shortest; i += AHEAD_BACK) {
        recordsAt<AHEAD_BACK>(next, edges, i + AHEAD_BACK, 0, false);
        bring<W, AGGREGATE, false>(at, r, sum, e, h, coefficients, ties, rel, runs, 0, 0);
        UNROLL for (int k = 0; k < AHEAD_BACK; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD_BACK) {
        recordsAt<AHEAD_BACK>(e, edges, i, p.count, true);
        bring<W, AGGREGATE, true>(at, r, sum, e, h, coefficients, ties, rel, runs, i, p.count);
    }
    if (p.count > 0) endRun<W>(at, sum, r.vector, h, runs);
    float own = gathered<Add>(sum);
    if (p.part >= 0) parts[(b * out.parts + p.part) * W + p.own] = own;
    else dhidden[row * W + p.own] += own;
}

#define FOR(W, AGGREGATE, agg)                                                                                         \
    KERNEL aggregate##W##_##agg(float *stats, float *parts, Call c, Side in, int chunk) BOUNDS(1024, 1) {              \
        EACH_SEGMENT(s, in, chunk) aggregate<W, AGGREGATE>(stats, parts, c, in, s);                                    \
    }                                                                                                                  \
    KERNEL outward##W##_##agg(float *dhidden, float *parts, float *runs, const u8 *ties, const float *coefficients, Call c, Side out, int allRuns, int places, int chunk) BOUNDS(1024, 1) { \
        EACH_SEGMENT(s, out, chunk) outward<W, AGGREGATE>(dhidden, parts, runs, ties, coefficients, c, out, allRuns, places, s); \
    }
FOR(32, SUM, sum)
FOR(32, PNA, pna)
FOR(64, SUM, sum)
FOR(64, PNA, pna)
KERNEL tied32_pna(u8 *ties, const float *stats, Call c, Side in, int places, int chunk) BOUNDS(1024, 1) {
    EACH_SEGMENT(s, in, chunk) tied<32>(ties, stats, c, in, places, s);
}
KERNEL tied64_pna(u8 *ties, const float *stats, Call c, Side in, int places, int chunk) BOUNDS(1024, 1) {
    EACH_SEGMENT(s, in, chunk) tied<64>(ties, stats, c, in, places, s);
}
