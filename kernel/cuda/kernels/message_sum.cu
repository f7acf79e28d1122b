// Summed messages at width 64 and their gradient. A warp takes a segment, eight lanes each of its four strands, and a lane four
// columns, as in message_vector.cu; nodes of few edges are message_short.cu's.
//
// Backward brings the gradient to relations and states in one pass: with dx_v that of v's sum, u's is Σ rel_r ⊙ dx_v over
// the edges (u, r, v) it sent, and rel_r's is Σ h_u ⊙ S over the nodes, S the sum of dx_v over u's edges
// of r alone. Edges of a node are sorted by relation, so a strand holds S while a run of equal relations
// lasts, and only dx_v is gathered. A block adds up the runs of its segments, relation by relation.
#include "graph.cuh"

const int W = 64, AHEAD = 2, WARPS = 4;
const int GROUP = 8, RUNS = 160; // of a block backward: segments, and the most runs of their strands

INLINE float4 rowAt(const float *lane, int row) { return fetch((const float4 *)(lane + (long)row * W)); }

// Place is what a lane works at.
struct Place {
    int node, part, shortest, longest;
    int first, count; // edges of its strand
    int column;       // the first of four
    int own;          // the one that is left to it after gathered
};

INLINE Place placeOf(const Side &side, int s) {
    int4 segment = side.segments[s];
    int2 strand = side.strands[s * STRANDS + lane() / 8];
    int column = blockZ() * 32 + 4 * (lane() % 8);
    return {segment.x, segment.y, segment.z, segment.w, strand.x, strand.y, column, column + lane() / 8};
}

// recordsAt reads the records of the next edges; beyond the end of a strand lie others' records, to read but not to use.
template <class Edge> INLINE void recordsAt(Edge *e, const Edge *edges, int count, int i, bool checked) {
    UNROLL for (int k = 0; k < AHEAD; k++) e[k] = fetch(edges + (checked ? least(i + k, count > 0 ? count - 1 : 0) : i + k));
}

// Groups is groups.go's.
struct Groups {
    const int4 *list;  // {first segment, segments, first slot, slots}
    const int4 *slots; // {first run, behind the last, row, 0}
    const int2 *edges; // {tail, relation·256 + run of the group}
    int count, rows;
};

// gathered joins the four strands; of its four columns a lane is left with one, the lane/8th.
INLINE float gathered(float4 x) {
    bool upper = lane() & 16, odd = lane() & 8;
    float a = (upper ? x.z : x.x) + exchange(upper ? x.x : x.z, 16);
    float b = (upper ? x.w : x.y) + exchange(upper ? x.y : x.w, 16);
    return (odd ? b : a) + exchange(odd ? a : b, 8);
}

// Relation is the last one that a strand met, and its vector: edges are sorted by relation, and most ask for the same again.
struct Relation {
    float4 vector;
    int number;
};

// rowIf reads a row into v where it is another than v's.
INLINE void rowIf(float4 &v, bool other, const float *lane, int row) { fetchInto(v, other, lane + (long)row * W); }

// takeEdges adds the messages of the next two edges; those beyond the end of a strand, if they are to be checked for, change nothing.
template <bool CHECKED> INLINE void takeEdges(float4 &sum, Relation &r, const int4 *e, const float *h, const float *rel, int i, int count) {
    float4 head[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) head[k] = rowAt(h, e[k].x);
    float4 second = {0, 0, 0, 0};
    bool other = e[1].y != e[0].y;
    rowIf(r.vector, e[0].y != r.number, rel, e[0].y);
    rowIf(second, other, rel, e[1].y);
    UNROLL for (int n = 0; n < 4; n++) {
        float v = other ? second[n] : r.vector[n];
        if (!CHECKED || i < count) sum[n] = fma(head[0][n], r.vector[n], sum[n]);
        if (!CHECKED || i + 1 < count) sum[n] = fma(head[1][n], v, sum[n]);
        r.vector[n] = v;
    }
    r.number = e[1].y;
}

INLINE float4 summed(const Call &c, const Side &in, const Place &p, long b) {
    const float *h = c.hidden + b * c.nodes * W + p.column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    const int4 *edges = in.edges + p.first;
    float4 sum = {0, 0, 0, 0};
    int4 e[AHEAD], next[AHEAD];
    int i = 0;
    recordsAt(e, edges, p.count, 0, false);
    Relation r = {{0, 0, 0, 0}, -1};
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, edges, p.count, i + AHEAD, false);
        takeEdges<false>(sum, r, e, h, rel, 0, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, edges, p.count, i, true);
        takeEdges<true>(sum, r, e, h, rel, i, p.count);
    }
    return sum;
}

// aggregate64_sum writes the sum, or mean, of every node of one of the first segments, and leaves parts of the others'. In a first layer
// marks (B,V) tell the nodes that the sets touch: all others get zeros only.
KERNEL aggregate64_sum(float *stats, float *parts, Call c, Side in, int count, const u8 *marks) BOUNDS(32 * WARPS, 8) {
    int s = blockX() * WARPS + warp();
    if (s >= count) return;
    long b = blockY();
    Place p = placeOf(in, s);
    long row = b * c.nodes + p.node;
    Moments joined = noMessages();
    if (!marks || marks[row]) joined.sum = gathered(summed(c, in, p, b));
    if (p.part >= 0) {
        leave<SUM>(parts + (b * in.parts + p.part) * W + p.own, joined, W);
        return;
    }
    take<SUM>(joined, c.set[row] * c.query[b * W + p.own]);
    finish<SUM>(stats + row * W + p.own, joined, c.scale[p.node].x, c.mean, W);
}

// Sent is what a strand has brought back: the gradient of its node, and the sum over the run it is in.
struct Sent {
    float4 gradient, sum;
    int key; // relation·256 + run
};

// endRun leaves a run in shared memory, eight of float4 a row.
INLINE void endRun(float4 *runs, const Sent &s, float4 h) { runs[(s.key & 255) * 8 + lane() % 8] = s.sum * h; }

template <bool CHECKED>
INLINE void bring(Sent &s, float4 *runs, const int2 *e, float4 h, const float *dx, const float *rel, int i, int count) {
    float4 back[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) {
        back[k] = rowAt(dx, e[k].x);
        vector[k] = rowAt(rel, e[k].y >> 8);
    }
    UNROLL for (int k = 0; k < AHEAD; k++) {
        if (CHECKED && i + k >= count) continue;
        if (e[k].y != s.key) {
            endRun(runs, s, h);
            s.sum = (float4){0, 0, 0, 0};
            s.key = e[k].y;
        }
        s.sum += back[k];
        UNROLL for (int n = 0; n < 4; n++) s.gradient[n] = fma(back[k][n], vector[k][n], s.gradient[n]);
    }
}

INLINE float4 broughtBack(float4 *runs, const float *dx, const Call &c, const int2 *edges, const Place &p, long b, float4 h) {
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    dx += b * c.nodes * W + p.column;
    int2 e[AHEAD], next[AHEAD];
    recordsAt(e, edges, p.count, 0, false);
    Sent s = {{0, 0, 0, 0}, {0, 0, 0, 0}, e[0].y};
    int i = 0;
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, edges, p.count, i + AHEAD, false);
        bring<false>(s, runs, e, h, dx, rel, 0, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, edges, p.count, i, true);
        bring<true>(s, runs, e, h, dx, rel, i, p.count);
    }
    if (p.count > 0) endRun(runs, s, h);
    return s.gradient;
}

// sent64 adds to dhidden, or leaves parts of it, and writes a row for every slot of its group. In a first layer a node
// outside the set gets no gradient. Runs of a thinned graph may have lost all their edges: where not all runs are
// written, they begin at zero.
KERNEL sent64(float *dhidden, float *parts, float *rows, const float *dx, Call c, Side out, Groups groups, int thinned, int first) BOUNDS(32 * GROUP, 4) {
    SHARED float4 runs[RUNS * 8];
    int4 group = groups.list[blockX()];
    long b = blockY();
    if (thinned || first) {
        for (int i = thread(); i < RUNS * 8; i += 32 * GROUP) runs[i] = (float4){0, 0, 0, 0};
        barrier();
    }
    if (warp() < group.y) {
        Place p = placeOf(out, group.x + warp());
        long row = b * c.nodes + p.node;
        bool sends = !first || c.set[row] != 0;
        float own = 0;
        if (sends) own = gathered(broughtBack(runs, dx, c, groups.edges + p.first, p, b, *(const float4 *)(c.hidden + row * W + p.column)));
        if (p.part >= 0) parts[(b * out.parts + p.part) * W + p.own] = own;
        else if (sends) dhidden[row * W + p.own] += own;
    }
    barrier();
    const float *of = (const float *)runs + lane();
    rows += b * groups.rows * W + blockZ() * 32 + lane();
    for (int i = warp(); i < group.w; i += GROUP) {
        int4 slot = groups.slots[group.z + i];
        float sum = 0;
        for (int run = slot.x; run < slot.y; run++) sum += of[run * 32];
        rows[(long)slot.z * W] = sum;
    }
}
