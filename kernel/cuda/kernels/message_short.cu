// Summed messages at width 64 and their gradient, as in message_sum.cu, for the nodes of few edges, which are most of a sparse graph:
// a warp takes four of them, eight lanes each, and a lane eight columns.
#include "graph.cuh"

const int W = 64, NODES = 32, RUNS = 128; // of a block: nodes, and the most runs of theirs

// Wide is a lane's columns: four of the first half of a row, four of the second.
struct Wide {
    float4 half[2];
};

INLINE Wide rowAt(const float *lane, long row) { return {fetch((const float4 *)(lane + row * W)), fetch((const float4 *)(lane + row * W + 32))}; }
INLINE int2 ends(int4 e) { return (int2){e.x, e.y}; }
INLINE int2 ends(int2 e) { return e; }

// Short is a node whose four strands {first, edges} follow one another; a thinned graph leaves gaps between them.
struct Short {
    int node, count;
    int4 early, late;
};

INLINE Short shortAt(const Side &side, int s) {
    const int4 *strands = (const int4 *)(side.strands + s * STRANDS);
    int4 a = strands[0], b = strands[1];
    return {side.segments[s].x, a.y + a.w + b.y + b.w, a, b};
}

// placeOf is where the i-th edge lies.
INLINE int placeOf(const Short &n, int i) {
    int4 of = n.early;
    if (i >= of.y + of.w) {
        i -= of.y + of.w;
        of = n.late;
    }
    return i < of.y ? of.x + i : of.z + i - of.y;
}

// Pair is two edges with the rows at their ends and their relations'.
struct Pair {
    int2 edge[2];
    Wide end[2], vector[2];
};

// pairAt reads edges i and i+1; beyond the last it is the last again.
template <class Edge, int SHIFT> INLINE Pair pairAt(const Short &n, const Edge *edges, const float *rows, const float *rel, int i) {
    Pair p;
    UNROLL for (int k = 0; k < 2; k++) p.edge[k] = ends(fetch(edges + placeOf(n, least(i + k, n.count - 1))));
    UNROLL for (int k = 0; k < 2; k++) {
        p.end[k] = rowAt(rows, p.edge[k].x);
        p.vector[k] = rowAt(rel, p.edge[k].y >> SHIFT);
    }
    return p;
}

INLINE void addProducts(Wide &sum, const Wide &x, const Wide &y) {
    UNROLL for (int h = 0; h < 2; h++) UNROLL for (int n = 0; n < 4; n++) sum.half[h][n] = fma(x.half[h][n], y.half[h][n], sum.half[h][n]);
}

INLINE const float *tableOf(const Call &c, long b) { return c.relations + (long)c.relationOf[b] * c.tables * W + 4 * (lane() % 8); }

// aggregate64_short writes the sum, or mean, of the nodes from segment first on.
KERNEL aggregate64_short(float *stats, Call c, Side in, int first, const u8 *marks) BOUNDS(256, 4) {
    int s = first + blockX() * NODES + thread() / 8;
    if (s >= in.count) return;
    Short n = shortAt(in, s);
    int column = 4 * (lane() % 8);
    long b = blockY(), row = b * c.nodes + n.node;
    const float *h = c.hidden + b * c.nodes * W + column, *rel = tableOf(c, b);
    Wide sum = {};
    if (!marks || marks[row]) for (int i = 0; i < n.count; i += 2) {
        Pair p = pairAt<int4, 0>(n, in.edges, h, rel, i);
        addProducts(sum, p.end[0], p.vector[0]);
        if (i + 1 < n.count) addProducts(sum, p.end[1], p.vector[1]);
    }
    float set = c.set[row], share = c.mean ? c.scale[n.node].x : 1;
    const float *query = c.query + b * W + column;
    UNROLL for (int half = 0; half < 2; half++) {
        if (set != 0) UNROLL for (int k = 0; k < 4; k++) sum.half[half][k] += set * query[half * 32 + k];
        *(float4 *)(stats + row * W + column + half * 32) = sum.half[half] * share;
    }
}

// Groups is groups.go's.
struct Groups {
    const int4 *list;  // {first segment, segments, first slot, slots}
    const int4 *slots; // {first run, behind the last, row, 0}
    const int2 *edges; // {tail, relation·256 + run of the group}
    int count, rows;
};

// Sent is what a node has got back: its gradient, and the sum over the run it is in.
struct Sent {
    Wide gradient, sum;
    int key; // relation·256 + run
};

// endRun leaves a run in shared memory, sixteen of float4 a row.
INLINE void endRun(float4 *runs, const Sent &s, const Wide &h) {
    UNROLL for (int half = 0; half < 2; half++) runs[(s.key & 255) * 16 + half * 8 + lane() % 8] = s.sum.half[half] * h.half[half];
}

INLINE void bring(Sent &s, float4 *runs, int key, const Wide &back, const Wide &vector, const Wide &h) {
    if (key != s.key) {
        endRun(runs, s, h);
        s.sum = {};
        s.key = key;
    }
    UNROLL for (int half = 0; half < 2; half++) s.sum.half[half] += back.half[half];
    addProducts(s.gradient, back, vector);
}

// sent64_short adds to dhidden and writes a row for every slot of its group, the x-th from firstGroup on.
KERNEL sent64_short(float *dhidden, float *rows, const float *dx, Call c, Side out, Groups groups, int firstGroup, int thinned, int first) BOUNDS(256, 4) {
    SHARED float4 runs[RUNS * 16];
    int4 group = groups.list[firstGroup + blockX()];
    long b = blockY();
    if (thinned || first) {
        for (int i = thread(); i < RUNS * 16; i += 256) runs[i] = (float4){0, 0, 0, 0};
        barrier();
    }
    if (thread() / 8 < group.y) {
        Short n = shortAt(out, group.x + thread() / 8);
        int column = 4 * (lane() % 8);
        long row = b * c.nodes + n.node;
        if (n.count > 0 && (!first || c.set[row] != 0)) {
            const float *from = dx + b * c.nodes * W + column, *rel = tableOf(c, b);
            Wide h = rowAt(c.hidden + column, row);
            Sent s = {};
            s.key = groups.edges[placeOf(n, 0)].y;
            for (int i = 0; i < n.count; i += 2) {
                Pair p = pairAt<int2, 8>(n, groups.edges, from, rel, i);
                bring(s, runs, p.edge[0].y, p.end[0], p.vector[0], h);
                if (i + 1 < n.count) bring(s, runs, p.edge[1].y, p.end[1], p.vector[1], h);
            }
            endRun(runs, s, h);
            UNROLL for (int half = 0; half < 2; half++) *(float4 *)(dhidden + row * W + column + half * 32) += s.gradient.half[half];
        }
    }
    barrier();
    const float2 *of = (const float2 *)runs + lane();
    rows += b * groups.rows * W + 2 * lane();
    for (int i = warp(); i < group.w; i += 8) {
        int4 slot = groups.slots[group.z + i];
        float2 sum = {0, 0};
        for (int run = slot.x; run < slot.y; run++) sum += of[run * 32];
        *(float2 *)(rows + (long)slot.z * W) = sum;
    }
}
