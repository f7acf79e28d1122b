// A graph without some of its edges. Every segment keeps its place and closes its gaps, so that
// nothing has to be counted across segments.
#include "graph.cuh"

// thinSide: a warp per segment, eight lanes per strand of at most 32 edges. It notes which runs are left. In its first call,
// for In, it notes in moved where each edge went; in its second, for Out, it reads moved.
template <bool IN> INLINE void thinSide(int4 *segments, int2 *strands, int4 *edges, const Side &side, const u8 *dropped, int *moved, u8 *alive, int2 *sent, const int2 *allSent) {
    int s = blockX() * 8 + warp(), strand = lane() / 8;
    if (s >= side.count) return;
    int2 of = side.strands[s * STRANDS + strand];
    int kept = 0;
    UNROLL for (int i = lane() % 8; i < 32; i += 8) {
        int place = of.x + i;
        bool inside = i < of.y;
        int4 e = {0, 0, 0, 0};
        if (inside) e = side.edges[place];
        bool stays = inside && !dropped[IN ? place : e.z];
        u32 staying = ballot(stays) >> 8 * strand & 255;
        int to = of.x + kept + __builtin_popcount(staying & ((1u << lane() % 8) - 1));
        if (stays) {
            alive[IN ? e.z : e.w] = 1;
            if (IN) moved[place] = to;
            else {
                e.z = moved[e.z];
                sent[to] = allSent[place];
            }
            edges[to] = e;
        }
        kept += __builtin_popcount(staying);
    }
    if (lane() % 8 == 0) strands[s * STRANDS + strand] = (int2){of.x, kept};
    int shortest = kept, longest = kept;
    UNROLL for (int with = 8; with < 32; with *= 2) {
        int other = exchange(shortest, with);
        shortest = other < shortest ? other : shortest;
        other = exchange(longest, with);
        longest = other > longest ? other : longest;
    }
    int4 whole = side.segments[s];
    if (lane() == 0) segments[s] = (int4){whole.x, whole.y, shortest, longest};
}
KERNEL thin_in(int4 *segments, int2 *strands, int4 *edges, Side side, const u8 *dropped, int *moved, u8 *alive) BOUNDS(256) {
    thinSide<true>(segments, strands, edges, side, dropped, moved, alive, nullptr, nullptr);
}
KERNEL thin_out(int4 *segments, int2 *strands, int4 *edges, Side side, const u8 *dropped, int *moved, u8 *alive, int2 *sent, const int2 *allSent) BOUNDS(256) {
    thinSide<false>(segments, strands, edges, side, dropped, moved, alive, sent, allSent);
}

KERNEL degrees(int *degree, const int2 *strands, const int2 *of, int nodes) BOUNDS(256) {
    long v = at();
    if (v >= nodes) return;
    int sum = 0;
    for (int s = of[v].x * STRANDS; s < of[v].y * STRANDS; s++) sum += strands[s].y;
    degree[v] = sum;
}

// scales takes one block: the mean of log(deg), then for every node {1/deg, s, 1/max(s, 0.01), in-degree}, where
// deg counts the boundary as one more message. logs holds log(k+1) for every degree k.
KERNEL scales(float4 *out, const int *degree, const double *logs, int nodes) BOUNDS(1024) {
    SHARED double slot[32];
    double sum = 0;
    for (int v = thread(); v < nodes; v += 1024) sum += logs[degree[v]];
    double mean = blockSum(sum, slot) / nodes;
    for (int v = thread(); v < nodes; v += 1024) {
        float s = mean == 0 ? 1 : (float)(logs[degree[v]] / mean);
        out[v] = (float4){1 / (float)(degree[v] + 1), s, 1 / larger(s, 1e-2f), (float)degree[v]};
    }
}
