// Summed messages at width 64 and their gradient. A warp takes a segment, eight lanes each of its four strands, and a lane four
// columns, as in message32.cu.
//
// Backward brings the gradient to relations and states in one pass: with dx_v that of v's sum, u's is Σ rel_r ⊙ dx_v over
// the edges (u, r, v) it sent, and rel_r's is Σ h_u ⊙ S over the nodes, S the sum of dx_v over u's edges
// of r alone. Edges of a node are sorted by relation, so a strand holds S while a run of equal relations
// lasts, and only dx_v is gathered.
#include "graph.cuh"

const int W = 64, AHEAD = 2, WARPS = 4;

INLINE float4 rowAt(const float *lane, int row) {
    const float *p = lane + (long)row * W;
    float x, y, z, w;
    asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p));
    return (float4){x, y, z, w};
}

// Place is what a lane works at.
struct Place {
    int node, part, shortest, longest;
    const int4 *edges; // of its strand
    int count;
    int column; // the first of four
    int own;    // the one that is left to it after gathered
};

INLINE Place placeOf(const Side &side, int s) {
    int4 segment = side.segments[s];
    int2 strand = side.strands[s * STRANDS + lane() / 8];
    int column = blockZ() * 32 + 4 * (lane() % 8);
    return {segment.x, segment.y, segment.z, segment.w, side.edges + strand.x, strand.y, column, column + lane() / 8};
}

// recordsAt reads the records of the next edges; beyond the end of a strand lie others' records, to read but not to use.
INLINE void recordsAt(int4 *e, const Place &p, int i, bool checked) {
    UNROLL for (int k = 0; k < AHEAD; k++) e[k] = fetch(p.edges + (checked ? least(i + k, p.count > 0 ? p.count - 1 : 0) : i + k));
}

// gathered joins the four strands; of its four columns a lane is left with one, the lane/8th.
INLINE float gathered(float4 x) {
    bool upper = lane() & 16, odd = lane() & 8;
    float a = (upper ? x.z : x.x) + exchange(upper ? x.x : x.z, 16);
    float b = (upper ? x.w : x.y) + exchange(upper ? x.y : x.w, 16);
    return (odd ? b : a) + exchange(odd ? a : b, 8);
}

// takeEdges adds the messages of the next edges; those beyond the end of a strand, if they are to be checked for, change nothing.
template <bool CHECKED> INLINE void takeEdges(float4 &sum, const int4 *e, const float *h, const float *rel, int i, int count) {
    float4 head[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) {
        head[k] = rowAt(h, e[k].x);
        vector[k] = rowAt(rel, e[k].y);
    }
    UNROLL for (int k = 0; k < AHEAD; k++) {
        if (CHECKED && i + k >= count) continue;
        UNROLL for (int n = 0; n < 4; n++) sum[n] = fma(head[k][n], vector[k][n], sum[n]);
    }
}

// aggregate64_sum writes the sum, or mean, of every node of one segment, and leaves parts of the others'.
KERNEL aggregate64_sum(float *stats, float *parts, Call c, Side in) BOUNDS(32 * WARPS, 8) {
    int s = blockX() * WARPS + warp();
    if (s >= in.count) return;
    long b = blockY();
    Place p = placeOf(in, s);
    const float *h = c.hidden + b * c.nodes * W + p.column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    float4 sum = {0, 0, 0, 0};
    int4 e[AHEAD], next[AHEAD];
    int i = 0;
    recordsAt(e, p, 0, false);
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, p, i + AHEAD, false);
        takeEdges<false>(sum, e, h, rel, 0, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, p, i, true);
        takeEdges<true>(sum, e, h, rel, i, p.count);
    }
    Moments joined = noMessages();
    joined.sum = gathered(sum);
    if (p.part >= 0) {
        leave<SUM>(parts + (b * in.parts + p.part) * W + p.own, joined, W);
        return;
    }
    long row = b * c.nodes + p.node;
    take<SUM>(joined, c.set[row] * c.query[b * W + p.own]);
    finish<SUM>(stats + row * W + p.own, joined, c.scale[p.node].x, c.mean, W);
}

// Sent is what a strand has brought back: the gradient of its node, and the sum over the run it is in.
struct Sent {
    float4 gradient, sum;
    int run;
};

INLINE void endRun(float *runs, const Sent &s, float4 h) { *(float4 *)(runs + (long)s.run * W) = s.sum * h; }

template <bool CHECKED>
INLINE void bring(Sent &s, float *runs, const int4 *e, float4 h, const float *dx, const float *rel, int i, int count) {
    float4 back[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) {
        back[k] = rowAt(dx, e[k].x);
        vector[k] = rowAt(rel, e[k].y);
    }
    UNROLL for (int k = 0; k < AHEAD; k++) {
        if (CHECKED && i + k >= count) continue;
        if (e[k].w != s.run) {
            endRun(runs, s, h);
            s.sum = (float4){0, 0, 0, 0};
            s.run = e[k].w;
        }
        s.sum += back[k];
        UNROLL for (int n = 0; n < 4; n++) s.gradient[n] = fma(back[k][n], vector[k][n], s.gradient[n]);
    }
}

// sent64 adds to dhidden, or leaves parts of it, and writes a row for every run.
KERNEL sent64(float *dhidden, float *parts, float *runs, const float *dx, Call c, Side out, int allRuns) BOUNDS(32 * WARPS, 8) {
    int s = blockX() * WARPS + warp();
    if (s >= out.count) return;
    Place p = placeOf(out, s);
    long b = blockY(), row = b * c.nodes + p.node;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * W + p.column;
    dx += b * c.nodes * W + p.column;
    runs += b * allRuns * W + p.column;
    float4 h = *(const float4 *)(c.hidden + row * W + p.column);
    int4 e[AHEAD], next[AHEAD];
    recordsAt(e, p, 0, false);
    Sent back = {{0, 0, 0, 0}, {0, 0, 0, 0}, e[0].w};
    int i = 0;
    for (; i + AHEAD <= p.shortest; i += AHEAD) {
        recordsAt(next, p, i + AHEAD, false);
        bring<false>(back, runs, e, h, dx, rel, 0, 0);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    for (; i < p.longest; i += AHEAD) {
        recordsAt(e, p, i, true);
        bring<true>(back, runs, e, h, dx, rel, i, p.count);
    }
    if (p.count > 0) endRun(runs, back, h);
    float own = gathered(back.gradient);
    if (p.part >= 0) parts[(b * out.parts + p.part) * W + p.own] = own;
    else dhidden[row * W + p.own] += own;
}
