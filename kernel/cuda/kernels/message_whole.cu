// PNA's messages at width 32 for many samples at once: a warp takes four nodes, eight lanes each, and a lane four columns of a
// node from its first edge to its last. So lanes have nothing to join, and what surrounds the edges of a node, finding them and
// its statistics, is done for four at a time; those that stand together are about as long (segments.go).
//
// message_vector.cu gives all lanes of a warp to one segment. It remains for hubs, which are several segments, for thinned
// graphs, whose edges have gaps between them, and for few samples, where its shorter warps fill the GPU better.
#include "graph.cuh"

const int W = 32, AHEAD = 2; // edges under way
const int NODES = 16;        // of a block of four warps

// Node has all its edges in one row.
struct Node {
    int id, count;
    const int4 *edges;
};

// nodeAt: a warp beyond the last node takes that one again, and writes it alike.
INLINE Node nodeAt(const Side &in, int first) {
    int s = least(first + blockX() * NODES + thread() / 8, in.count - 1);
    const int4 *strands = (const int4 *)(in.strands + s * STRANDS);
    int4 early = strands[0], late = strands[1];
    return {in.segments[s].x, early.y + early.w + late.y + late.w, in.edges + early.x};
}

INLINE int most(int x, int y) { return x > y ? x : y; }

// Ends are an edge's head and relation.
INLINE int2 endsAt(const int4 *edge) { return fetch((const int2 *)edge); }
INLINE float4 rowAt(const float *lane, int row) { return fetch((const float4 *)(lane + (long)row * W)); }

// Taken is the moments of a lane's four columns.
struct Taken {
    float4 sum, square, high, low;
};

INLINE float4 all(float x) { return (float4){x, x, x, x}; }

// takeSome takes AHEAD edges. Where only the first left of them are the node's, the others must be among its edges too: what is
// taken twice changes no extreme.
template <bool CHECKED> INLINE void takeSome(Taken &t, const int2 *e, const float *h, const float *rel, int left) {
    float4 head[AHEAD], vector[AHEAD];
    UNROLL for (int k = 0; k < AHEAD; k++) {
        head[k] = rowAt(h, e[k].x);
        vector[k] = rowAt(rel, e[k].y);
    }
    UNROLL for (int k = 0; k < AHEAD; k++) UNROLL for (int n = 0; n < 4; n++) {
        float m = head[k][n] * vector[k][n];
        float once = !CHECKED || k < left ? m : 0;
        t.sum[n] += once;
        t.square[n] = fma(once, once, t.square[n]);
        t.high[n] = larger(t.high[n], m);
        t.low[n] = smaller(t.low[n], m);
    }
}

// takeAll takes the edges of the warp's four nodes side by side, as many as the shortest has without looking whether they end.
INLINE Taken takeAll(const Node &node, const float *h, const float *rel) {
    int shortest = least(node.count, exchange(node.count, 8)), longest = most(node.count, exchange(node.count, 8));
    shortest = least(shortest, exchange(shortest, 16));
    longest = most(longest, exchange(longest, 16));
    const float infinity = __builtin_inff();
    Taken t = {all(0), all(0), all(-infinity), all(infinity)};
    int2 e[AHEAD], next[AHEAD];
    int i = 0;
    UNROLL for (int k = 0; k < AHEAD; k++) e[k] = endsAt(node.edges + k);
    for (; i + AHEAD <= shortest; i += AHEAD) {
        UNROLL for (int k = 0; k < AHEAD; k++) next[k] = endsAt(node.edges + i + AHEAD + k);
        takeSome<false>(t, e, h, rel, AHEAD);
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = next[k];
    }
    int last = most(node.count - 1, 0);
    for (; i < longest; i += AHEAD) {
        UNROLL for (int k = 0; k < AHEAD; k++) e[k] = endsAt(node.edges + least(i + k, last));
        takeSome<true>(t, e, h, rel, node.count - i);
    }
    if (node.count == 0) t.high = all(-infinity), t.low = all(infinity); // those of another node's edge
    return t;
}

// aggregate32_pna_whole writes the statistics of the nodes from segment first on, each of which is all of its node.
KERNEL aggregate32_pna_whole(float *stats, Call c, Side in, int first) BOUNDS(128, 8) {
    Node node = nodeAt(in, first);
    int column = 4 * (lane() % 8);
    long b = blockY(), row = b * c.nodes + node.id;
    Taken t = takeAll(node, c.hidden + b * c.nodes * W + column, c.relations + (long)c.relationOf[b] * c.tables * W + column);
    float set = c.set[row], share = c.scale[node.id].x;
    float4 stat[4];
    UNROLL for (int n = 0; n < 4; n++) {
        Moments m = {t.sum[n], t.square[n], t.high[n], t.low[n]};
        take<PNA>(m, set * c.query[b * W + column + n]);
        float of[4];
        finish<PNA>(of, m, share, 0, 1);
        UNROLL for (int k = 0; k < 4; k++) stat[k][n] = of[k];
    }
    UNROLL for (int k = 0; k < 4; k++) *(float4 *)(stats + (row * 4 + k) * W + column) = stat[k];
}
