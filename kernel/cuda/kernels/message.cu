// Messages forward and backward for the kinds that matter most: DistMult and TransE, whose
// columns are independent, under sum, mean, max and PNA. A warp takes a segment of at
// most 64 edges; rows of several segments leave parts that a second kernel joins.
#include "graph.cuh"

const int AHEAD = 8; // edges whose loads are under way at once

template <int KIND> INLINE float message(float h, float rel) { return KIND == DISTMULT ? h * rel : h + rel; }

template <int KIND, int AGGREGATE>
INLINE void aggregate(float *stats, float *parts, const Call &c, const Side &in) {
    int s = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (s >= in.count || column >= d) return;
    long b = blockY();
    int4 segment = in.segments[s];
    const float *h = c.hidden + b * c.nodes * d + column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * d + column;
    const int4 *edges = in.edges + segment.y;
    Moments sum = noMessages();
    for (int j = 0; j < segment.z; j += AHEAD) {
        float m[AHEAD];
        UNROLL for (int k = 0; k < AHEAD; k++) { // beyond the end the last edge is read again
            int4 e = edges[least(j + k, segment.z - 1)];
            m[k] = message<KIND>(h[(long)e.x * d], rel[(long)e.y * d]);
        }
        UNROLL for (int k = 0; k < AHEAD; k++) if (j + k < segment.z) take<AGGREGATE>(sum, m[k]);
    }
    if (segment.w >= 0) {
        leave<AGGREGATE>(parts + (b * in.parts + segment.w) * statsOf(AGGREGATE) * d + column, sum, d);
        return;
    }
    long row = b * c.nodes + segment.x;
    take<AGGREGATE>(sum, c.set[row] * c.query[b * d + column]);
    finish<AGGREGATE>(stats + row * statsOf(AGGREGATE) * d + column, sum, c.scale[segment.x].x, c.mean, d);
}

// joined adds the parts of a node up in their order, then its boundary.
template <int AGGREGATE> INLINE void joined(float *stats, const float *parts, const Call &c, const Side &in) {
    int s = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (s >= in.splits || column >= d) return;
    long b = blockY();
    int4 node = in.split[s];
    Moments sum = noMessages();
    const float *part = parts + (b * in.parts + node.y) * statsOf(AGGREGATE) * d + column;
    _Pragma("unroll 4") for (int i = 0; i < node.z; i++) join<AGGREGATE>(sum, part + (long)i * statsOf(AGGREGATE) * d, d);
    long row = b * c.nodes + node.x;
    take<AGGREGATE>(sum, c.set[row] * c.query[b * d + column]);
    finish<AGGREGATE>(stats + row * statsOf(AGGREGATE) * d + column, sum, c.scale[node.x].x, c.mean, d);
}

// inward goes over the edges that reach a node, which knows all of their gradients: it leaves the
// gradient of the relation vectors, a row for every run of equal relations in a segment, and for
// every edge 32 bits that say which columns hold the maximum and 32 for the minimum.
template <int KIND, int AGGREGATE>
INLINE void inward(float *runs, uint2 *ties, const float *coefficients, const float *stats, const Call &c, const Side &in, int allRuns, int places) {
    int s = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (s >= in.count) return;
    bool inside = column < d; // lanes beyond the width stay for the ballot
    column = least(column, d - 1);
    long b = blockY();
    int4 segment = in.segments[s];
    if (segment.z == 0) return;
    const float *h = c.hidden + b * c.nodes * d + column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * d + column;
    const int4 *edges = in.edges + segment.y;
    long row = b * c.nodes + segment.x;
    Slopes slopes = slopesOf<AGGREGATE>(coefficients + row * coefficientsOf(AGGREGATE) * d + column, stats + row * statsOf(AGGREGATE) * d + column, d);
    runs += b * allRuns * d + column;
    ties += (b * __nvvm_read_ptx_sreg_nctaid_z() + blockZ()) * places + segment.y;
    int run = edges[0].z;
    float sum = 0;
    uint2 kept = {0, 0};
    for (int j = 0; j < segment.z; j += AHEAD) {
        float head[AHEAD], vector[AHEAD];
        int of[AHEAD];
        UNROLL for (int k = 0; k < AHEAD; k++) {
            int4 e = edges[least(j + k, segment.z - 1)];
            head[k] = h[(long)e.x * d];
            vector[k] = rel[(long)e.y * d];
            of[k] = e.z;
        }
        UNROLL for (int k = 0; k < AHEAD; k++) if (j + k < segment.z) {
            if (of[k] != run) {
                if (inside) runs[(long)run * d] = sum;
                run = of[k];
                sum = 0;
            }
            float m = message<KIND>(head[k], vector[k]), dm = gradient<AGGREGATE>(slopes, m);
            sum = KIND == DISTMULT ? fma(dm, head[k], sum) : sum + dm;
            if (AGGREGATE == SUM) continue;
            u32 top = ballot(m == slopes.high), bottom = ballot(m == slopes.low);
            if (((j + k) & 31) == lane()) kept = (uint2){top, bottom};
        }
        bool full = ((j + AHEAD) & 31) == 0 || j + AHEAD >= segment.z;
        int place = (j & ~31) + lane();
        if (AGGREGATE != SUM && full && place < segment.z) ties[place] = kept;
    }
    if (inside) runs[(long)run * d] = sum;
}

// outward goes over the edges that a node has sent; the node owns its gradient.
template <int KIND, int AGGREGATE>
INLINE void outward(float *dhidden, float *parts, const uint2 *ties, const float *coefficients, const Call &c, const Side &out, int places) {
    int s = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (s >= out.count || column >= d) return;
    long b = blockY();
    int4 segment = out.segments[s];
    const int4 *edges = out.edges + segment.y;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * d + column;
    const int per = coefficientsOf(AGGREGATE);
    coefficients += b * c.nodes * per * d + column;
    ties += (b * __nvvm_read_ptx_sreg_nctaid_z() + blockZ()) * places;
    long row = b * c.nodes + segment.x;
    float h = c.hidden[row * d + column], sum = 0;
    for (int j = 0; j < segment.z; j += AHEAD) {
        float pick[AHEAD], slope[AHEAD], vector[AHEAD];
        UNROLL for (int k = 0; k < AHEAD; k++) {
            int4 e = edges[least(j + k, segment.z - 1)];
            const float *tail = coefficients + (long)e.x * per * d;
            uint2 tie = {0, 0};
            if (AGGREGATE != SUM) tie = ties[e.z];
            u32 top = tie.x >> lane() & 1, bottom = tie.y >> lane() & 1;
            if (AGGREGATE == SUM) pick[k] = tail[0];
            if (AGGREGATE == MAX) pick[k] = top ? tail[0] : 0;
            if (AGGREGATE == PNA) pick[k] = tail[(top + 2 * bottom) * d];
            slope[k] = AGGREGATE == PNA ? tail[4 * d] : 0;
            vector[k] = rel[(long)e.y * d];
        }
        UNROLL for (int k = 0; k < AHEAD; k++) if (j + k < segment.z) {
            float dm = AGGREGATE == PNA ? fma(slope[k], message<KIND>(h, vector[k]), pick[k]) : pick[k];
            sum = KIND == DISTMULT ? fma(dm, vector[k], sum) : sum + dm;
        }
    }
    if (segment.w >= 0) parts[(b * out.parts + segment.w) * d + column] = sum;
    else dhidden[row * d + column] += sum;
}

// outward_joined adds the parts of a node's gradient up.
KERNEL outward_joined(float *dhidden, const float *parts, Side out, int nodes, int d) BOUNDS(256) {
    int s = blockX() * 8 + warp(), column = blockZ() * 32 + lane();
    if (s >= out.splits || column >= d) return;
    long b = blockY();
    int4 node = out.split[s];
    float sum = 0;
    _Pragma("unroll 8") for (int i = 0; i < node.z; i++) sum += parts[(b * out.parts + node.y + i) * d + column];
    dhidden[(b * nodes + node.x) * d + column] += sum;
}

// sum_runs adds up a chunk of the runs of one relation, {relation, first, behind the last, 0};
// runs that a thinned graph has lost are passed over.
KERNEL sum_runs(float *chunked, const float *runs, const int4 *chunks, const u8 *alive, int count, int allRuns, int d) BOUNDS(256) {
    int i = blockX() * 8 + warp(), column = blockZ() * 32 + lane();
    if (i >= count || column >= d) return;
    long b = blockY();
    int4 chunk = chunks[i];
    float sum = 0;
    _Pragma("unroll 8") for (int run = chunk.y; run < chunk.z; run++)
        if (!alive || alive[run]) sum += runs[(b * allRuns + run) * d + column];
    chunked[(b * count + i) * d + column] = sum;
}

// add_relations: drelations (U,R,D) += the chunks of each relation, sample after sample of each table.
KERNEL add_relations(float *drelations, const float *chunked, const int *samplesAt, const int *samples, const int *chunksAt,
                     int chunks, int tables, int d) BOUNDS(256) {
    long i = at();
    if (i >= (long)tables * d) return;
    int relation = i / d, column = i % d;
    float sum = 0;
    for (int k = samplesAt[blockY()]; k < samplesAt[blockY() + 1]; k++)
        for (int n = chunksAt[relation]; n < chunksAt[relation + 1]; n++) sum += chunked[((long)samples[k] * chunks + n) * d + column];
    drelations[(long)blockY() * tables * d + i] += sum;
}

#define KINDS(AGGREGATE, agg)                                                                                         \
    KERNEL joined_##agg(float *stats, const float *parts, Call c, Side in) BOUNDS(256) { joined<AGGREGATE>(stats, parts, c, in); } \
    FOR(DISTMULT, distmult, AGGREGATE, agg) FOR(TRANSE, transe, AGGREGATE, agg)
#define FOR(KIND, kind, AGGREGATE, agg)                                                                                \
    KERNEL aggregate_##kind##_##agg(float *stats, float *parts, Call c, Side in) BOUNDS(256) { aggregate<KIND, AGGREGATE>(stats, parts, c, in); } \
    KERNEL inward_##kind##_##agg(float *runs, uint2 *ties, const float *coefficients, const float *stats, Call c, Side in, int allRuns, int places) BOUNDS(256) { \
        inward<KIND, AGGREGATE>(runs, ties, coefficients, stats, c, in, allRuns, places);                              \
    }                                                                                                                  \
    KERNEL outward_##kind##_##agg(float *dhidden, float *parts, const uint2 *ties, const float *coefficients, Call c, Side out, int places) BOUNDS(256) { \
        outward<KIND, AGGREGATE>(dhidden, parts, ties, coefficients, c, out, places);                                  \
    }
KINDS(SUM, sum)
KINDS(MAX, max)
KINDS(PNA, pna)
