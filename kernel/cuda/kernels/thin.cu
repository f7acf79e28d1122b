// A graph without some of its edges. Every segment keeps its place and closes its gaps, so that
// nothing has to be counted across segments.
#include "graph.cuh"

// thin_side: a warp per segment. In its first call, for In, it notes in moved where each edge went, and which
// runs are left; in its second, for Out, it reads moved.
INLINE void thinSide(int4 *segments, int4 *edges, const Side &side, const u8 *dropped, int *moved, u8 *alive) {
    int s = blockX() * 8 + warp();
    if (s >= side.count) return;
    int4 segment = side.segments[s];
    int kept = 0;
    for (int from = 0; from < segment.z; from += 32) {
        int i = from + lane(), place = segment.y + i;
        bool inside = i < segment.z;
        int4 e = side.edges[inside ? place : segment.y];
        bool stays = inside && !dropped[alive ? place : e.z];
        u32 staying = ballot(stays);
        int to = segment.y + kept + __builtin_popcount(staying & ((1u << lane()) - 1));
        if (stays && alive) {
            moved[place] = to;
            alive[e.z] = 1;
        }
        if (stays && !alive) e.z = moved[e.z];
        if (stays) edges[to] = e;
        kept += __builtin_popcount(staying);
    }
    segment.z = kept;
    if (lane() == 0) segments[s] = segment;
}
KERNEL thin_in(int4 *segments, int4 *edges, Side side, const u8 *dropped, int *moved, u8 *alive) BOUNDS(256) {
    thinSide(segments, edges, side, dropped, moved, alive);
}
KERNEL thin_out(int4 *segments, int4 *edges, Side side, const u8 *dropped, int *moved) BOUNDS(256) {
    thinSide(segments, edges, side, dropped, moved, nullptr);
}

KERNEL degrees(int *degree, const int4 *segments, const int *first, int nodes) BOUNDS(256) {
    long v = at();
    if (v >= nodes) return;
    int sum = 0;
    for (int s = first[v]; s < first[v + 1]; s++) sum += segments[s].z;
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
