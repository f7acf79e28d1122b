// Messages forward and backward for DistMult and TransE, whose columns are independent, under sum,
// mean, max and PNA, at every width: a lane is a column, a warp takes a segment edge
// by edge. Rows of several segments leave parts that a second kernel joins. Widths of 32 and 64 have
// faster ones in message_vector.cu.
#include "graph.cuh"

const int AHEAD = 8; // edges whose loads are under way at once

template <int KIND, int AGGREGATE>
INLINE void aggregate(float *stats, float *parts, const Call &c, const Side &in) {
    int s = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (s >= in.count || column >= d) return;
    long b = blockY();
    int4 segment = in.segments[s];
    const float *h = c.hidden + b * c.nodes * d + column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * d + column;
    Moments sum = noMessages();
    for (int strand = 0; strand < STRANDS; strand++) {
        int2 of = in.strands[s * STRANDS + strand];
        const int4 *edges = in.edges + of.x;
        int n = of.y;
        for (int j = 0; j < n; j += AHEAD) {
            int4 e[AHEAD];
            float head[AHEAD], vector[AHEAD];
            UNROLL for (int k = 0; k < AHEAD; k++) e[k] = fetch(edges + least(j + k, n - 1)); // beyond the end the last edge again
            UNROLL for (int k = 0; k < AHEAD; k++) {
                head[k] = fetch(h + (long)e[k].x * d);
                vector[k] = fetch(rel + (long)e[k].y * d);
            }
            UNROLL for (int k = 0; k < AHEAD; k++) if (j + k < n) take<AGGREGATE>(sum, message<KIND>(head[k], vector[k]));
        }
    }
    if (segment.y >= 0) {
        leave<AGGREGATE>(parts + (b * in.parts + segment.y) * statsOf(AGGREGATE) * d + column, sum, d);
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
// gradient of the relation vectors, a row for every run of equal relations in a strand, and for
// every edge its ties.
template <int KIND, int AGGREGATE>
INLINE void inward(float *runs, u8 *ties, const float *coefficients, const float *stats, const Call &c, const Side &in, int allRuns, int places) {
    int s = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (s >= in.count) return;
    bool inside = column < d; // lanes beyond the width stay for the exchange
    column = least(column, d - 1);
    long b = blockY(), row = b * c.nodes + in.segments[s].x;
    const float *h = c.hidden + b * c.nodes * d + column;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * d + column;
    Slopes slopes = slopesOf<AGGREGATE>(coefficients + row * coefficientsOf(AGGREGATE) * d + column, stats + row * statsOf(AGGREGATE) * d + column, d);
    runs += b * allRuns * d + column;
    ties += (b * blocksZ() + blockZ()) * places * 8 + lane() / 4;
    for (int strand = 0; strand < STRANDS; strand++) {
        int2 of = in.strands[s * STRANDS + strand];
        int run = -1;
        float sum = 0;
        for (int place = of.x; place < of.x + of.y; place++) {
            int4 e = in.edges[place];
            float head = h[(long)e.x * d], m = message<KIND>(head, rel[(long)e.y * d]), dm = gradient<AGGREGATE>(slopes, m);
            if (e.z != run && run >= 0 && inside) runs[(long)run * d] = sum;
            sum = e.z == run ? sum : 0;
            run = e.z;
            sum = KIND == DISTMULT ? fma(dm, head, sum) : sum + dm;
            if (AGGREGATE == SUM) continue;
            int tie = (m == slopes.most ? 1 << lane() % 4 : 0) | (m == slopes.least ? 16 << lane() % 4 : 0);
            tie |= exchange((int)tie, 1);
            tie |= exchange((int)tie, 2);
            if (lane() % 4 == 0) ties[place * 8l] = tie;
        }
        if (run >= 0 && inside) runs[(long)run * d] = sum;
    }
}

// outward goes over the edges that a node has sent; the node owns its gradient.
template <int KIND, int AGGREGATE>
INLINE void outward(float *dhidden, float *parts, const u8 *ties, const float *coefficients, const Call &c, const Side &out, int places) {
    int s = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (s >= out.count || column >= d) return;
    int4 segment = out.segments[s];
    long b = blockY(), row = b * c.nodes + segment.x;
    const float *rel = c.relations + (long)c.relationOf[b] * c.tables * d + column;
    const int per = coefficientsOf(AGGREGATE);
    coefficients += b * c.nodes * per * d + column;
    ties += (b * blocksZ() + blockZ()) * places * 8 + lane() / 4;
    float h = c.hidden[row * d + column], sum = 0;
    for (int strand = 0; strand < STRANDS; strand++) {
        int2 of = out.strands[s * STRANDS + strand];
        for (int place = of.x; place < of.x + of.y; place++) {
            int4 e = out.edges[place];
            const float *tail = coefficients + (long)e.x * per * d;
            float vector = rel[(long)e.y * d], dm = 0;
            int tie = AGGREGATE == SUM ? 0 : ties[e.z * 8l] >> lane() % 4;
            if (AGGREGATE == SUM || tie & 1) dm = tail[AGGREGATE == PNA ? HIGH * d : 0];
            if (AGGREGATE == PNA && tie & 16) dm += tail[LOW * d];
            if (AGGREGATE == PNA) dm += fma(tail[SLOPE * d], message<KIND>(h, vector), tail[FLAT]);
            sum = KIND == DISTMULT ? fma(dm, vector, sum) : sum + dm;
        }
    }
    if (segment.y >= 0) parts[(b * out.parts + segment.y) * d + column] = sum;
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

// sum_runs adds up a chunk of the runs of one relation, {relation, first, behind the last, 0}. Runs that are not
// alive are passed over: those that a thinned graph has lost, the same in all samples (apart is 0), or those
// that the first layer of a sample has not left (apart is their number).
KERNEL sum_runs(float *chunked, const float *runs, const int4 *chunks, const u8 *alive, long apart, int count, int allRuns, int d) BOUNDS(256) {
    int i = blockX() * 8 + warp(), column = blockZ() * 32 + lane();
    if (i >= count) return;
    bool inside = column < d; // lanes beyond the width stay for the ballot
    long b = blockY();
    int4 chunk = chunks[i];
    float sum = 0;
    runs += b * allRuns * d + least(column, d - 1);
    for (int first = chunk.y; first < chunk.z; first += 32) {
        u32 live = ballot(first + lane() < chunk.z && (!alive || alive[b * apart + first + lane()]));
        for (int run = first; live != 0; run += AHEAD, live >>= AHEAD) {
            if ((live & ((1 << AHEAD) - 1)) == 0) continue;
            float x[AHEAD];
            UNROLL for (int k = 0; k < AHEAD; k++) x[k] = fetch(runs + (long)least(run + k, chunk.z - 1) * d);
            UNROLL for (int k = 0; k < AHEAD; k++) if (live >> k & 1) sum += x[k];
        }
    }
    if (inside) chunked[(b * count + i) * d + column] = sum;
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
    KERNEL inward_##kind##_##agg(float *runs, u8 *ties, const float *coefficients, const float *stats, Call c, Side in, int allRuns, int places) BOUNDS(256) { \
        inward<KIND, AGGREGATE>(runs, ties, coefficients, stats, c, in, allRuns, places);                              \
    }                                                                                                                  \
    KERNEL outward_##kind##_##agg(float *dhidden, float *parts, const u8 *ties, const float *coefficients, Call c, Side out, int places) BOUNDS(256) { \
        outward<KIND, AGGREGATE>(dhidden, parts, ties, coefficients, c, out, places);                                  \
    }
KINDS(SUM, sum)
KINDS(MAX, max)
KINDS(PNA, pna)
