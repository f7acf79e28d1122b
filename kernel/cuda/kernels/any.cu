// Messages of every other kind: RotatE, subtraction and correlation, whose columns mix, and
// the aggregations of CompGCN and RGCN. A warp takes a whole node. They are there to
// be right, for the paper's ablations; message.cu is there to be fast.
#include "graph.cuh"

// Rest is what these kernels read besides a Call.
struct Rest {
    const u8 *inverse;   // (R) relations that read a stated triple from its tail
    const int *inDegree; // (V)
    const int *outDegree;
    const float *coefficients; // backward: (B,V,·,D), or for Directed and Bases the gradient of the statistics
    const float *stats;
    int kind, aggregate, bases, pad;
};

// messageAt is column c of the message of a head h along rel.
INLINE float messageAt(int kind, const float *h, const float *rel, int c, int d) {
    if (kind == DISTMULT) return h[c] * rel[c];
    if (kind == TRANSE) return h[c] + rel[c];
    if (kind == SUB) return h[c] - rel[c];
    int n = d / 2;
    if (kind == ROTATE) return c < n ? h[c] * rel[c] - h[n + c] * rel[n + c] : h[c - n] * rel[c] + h[c] * rel[c - n];
    float sum = 0;
    for (int i = 0; i < d; i++) sum += h[i] * rel[(i + c) % d];
    return sum;
}

INLINE float edgeWeight(const Rest &r, int head, int tail) { return 2 / root((float)r.outDegree[head] * (float)r.inDegree[tail]); }

// Edge is an edge of one sample with its rows.
struct Edge {
    const float *h, *rel;
    int head, relation, tail;
};

// gradientAt is column c of the gradient of an edge's message.
INLINE float gradientAt(const Call &call, const Rest &r, const Edge &e, long b, int c) {
    int d = call.width;
    long row = b * call.nodes + e.tail;
    if (r.aggregate == DIRECTED) return edgeWeight(r, e.head, e.tail) * r.coefficients[(row * 2 + r.inverse[e.relation]) * d + c];
    const float *coefficient = r.coefficients + row * coefficientsOf(r.aggregate) * d + c;
    const float *stats = r.stats + row * statsOf(r.aggregate) * d + c;
    if (r.aggregate == SUM || r.aggregate == MEAN) return coefficient[0];
    float m = messageAt(r.kind, e.h, e.rel, c, d);
    if (r.aggregate == MAX) return gradient<MAX>(slopesOf<MAX>(coefficient, stats, d), m);
    return gradient<PNA>(slopesOf<PNA>(coefficient, stats, d), m);
}

// headGradientAt and relationGradientAt take the gradient of the message to column c of its parts.
INLINE float headGradientAt(const Call &call, const Rest &r, const Edge &e, long b, int c) {
    int d = call.width, n = d / 2;
    if (r.kind == TRANSE || r.kind == SUB) return gradientAt(call, r, e, b, c);
    if (r.kind == DISTMULT) return gradientAt(call, r, e, b, c) * e.rel[c];
    if (r.kind == ROTATE) {
        float dm = gradientAt(call, r, e, b, c), other = gradientAt(call, r, e, b, c < n ? c + n : c - n);
        return c < n ? dm * e.rel[c] + other * e.rel[n + c] : dm * e.rel[c - n] - other * e.rel[c];
    }
    float sum = 0;
    for (int k = 0; k < d; k++) sum += gradientAt(call, r, e, b, k) * e.rel[(c + k) % d];
    return sum;
}

INLINE float relationGradientAt(const Call &call, const Rest &r, const Edge &e, long b, int c) {
    int d = call.width, n = d / 2;
    if (r.kind == TRANSE) return gradientAt(call, r, e, b, c);
    if (r.kind == SUB) return -gradientAt(call, r, e, b, c);
    if (r.kind == DISTMULT) return gradientAt(call, r, e, b, c) * e.h[c];
    if (r.kind == ROTATE) {
        float dm = gradientAt(call, r, e, b, c), other = gradientAt(call, r, e, b, c < n ? c + n : c - n);
        return c < n ? dm * e.h[c] + other * e.h[n + c] : dm * e.h[c - n] - other * e.h[c];
    }
    float sum = 0;
    for (int k = 0; k < d; k++) sum += gradientAt(call, r, e, b, k) * e.h[(c - k + d) % d];
    return sum;
}

INLINE Edge edgeOf(const Call &c, long b, int head, int relation, int tail, int relationWidth) {
    const float *table = c.relations + (long)c.relationOf[b] * c.tables * relationWidth;
    return {c.hidden + (b * c.nodes + head) * c.width, table + (long)relation * relationWidth, head, relation, tail};
}

// aggregate_any: statistics of node x.
KERNEL aggregate_any(float *stats, Call c, Side in, Rest r) BOUNDS(256) {
    int v = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (v >= c.nodes || column >= d) return;
    long b = blockY(), row = b * c.nodes + v;
    int pieces = r.aggregate == BASES ? r.bases : r.aggregate == DIRECTED ? 2 : statsOf(r.aggregate);
    float *out = stats + row * pieces * d + column;
    Moments sum = noMessages();
    if (r.aggregate >= DIRECTED) for (int k = 0; k < pieces; k++) out[k * d] = 0;
    for (int s = in.of[v].x * STRANDS; s < in.of[v].y * STRANDS; s++) for (int i = 0; i < in.strands[s].y; i++) {
        int4 e = in.edges[in.strands[s].x + i];
        Edge edge = edgeOf(c, b, e.x, e.y, v, r.aggregate == BASES ? r.bases : d);
        if (r.aggregate == BASES) {
            for (int k = 0; k < pieces; k++) out[k * d] += edge.rel[k] / r.inDegree[v] * edge.h[column];
            continue;
        }
        float m = messageAt(r.kind, edge.h, edge.rel, column, d);
        if (r.aggregate == DIRECTED) out[r.inverse[e.y] * d] += edgeWeight(r, e.x, v) * m;
        else take<PNA>(sum, m);
    }
    if (r.aggregate >= DIRECTED) return;
    take<PNA>(sum, c.set[row] * c.query[b * d + column]);
    if (r.aggregate == PNA) finish<PNA>(out, sum, c.scale[v].x, 0, d);
    else if (r.aggregate == MAX) finish<MAX>(out, sum, 0, 0, d);
    else finish<SUM>(out, sum, c.scale[v].x, c.mean, d);
}

// hidden_backward_any: the gradient of node x from the edges it has sent.
KERNEL hidden_backward_any(float *dhidden, Call c, Side out, Rest r) BOUNDS(256) {
    int u = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (u >= c.nodes || column >= d) return;
    long b = blockY();
    float sum = 0;
    for (int s = out.of[u].x * STRANDS; s < out.of[u].y * STRANDS; s++) for (int i = 0; i < out.strands[s].y; i++) {
        int4 e = out.edges[out.strands[s].x + i];
        Edge edge = edgeOf(c, b, u, e.y, e.x, r.aggregate == BASES ? r.bases : d);
        if (r.aggregate != BASES) {
            sum += headGradientAt(c, r, edge, b, column);
            continue;
        }
        const float *dstats = r.coefficients + (b * c.nodes + e.x) * r.bases * d + column;
        for (int k = 0; k < r.bases; k++) sum += edge.rel[k] / r.inDegree[e.x] * dstats[k * d];
    }
    dhidden[(b * c.nodes + u) * d + column] += sum;
}

// relations_backward_any: a chunk {relation, first, behind the last, 0} of one relation's edges {head, tail, id, 0}.
KERNEL relations_backward_any(float *chunked, const int4 *chunks, const int4 *edges, const u8 *dropped, Call c, Rest r, int count) BOUNDS(256) {
    int i = blockX() * 8 + warp(), column = blockZ() * 32 + lane(), d = c.width;
    if (i >= count || column >= d) return;
    long b = blockY();
    int4 chunk = chunks[i];
    float sum = 0;
    for (int k = chunk.y; k < chunk.z; k++) {
        int4 e = edges[k];
        if (dropped && dropped[e.z]) continue;
        sum += relationGradientAt(c, r, edgeOf(c, b, e.x, chunk.x, e.y, d), b, column);
    }
    chunked[(b * count + i) * d + column] = sum;
}

// bases_backward: the same for the coefficients of the bases; z is the basis, lanes share its columns.
KERNEL bases_backward(float *chunked, const int4 *chunks, const int4 *edges, const u8 *dropped, Call c, Rest r, int count) BOUNDS(256) {
    int i = blockX() * 8 + warp(), k = blockZ(), d = c.width;
    if (i >= count) return;
    long b = blockY();
    int4 chunk = chunks[i];
    float sum = 0;
    for (int n = chunk.y; n < chunk.z; n++) {
        int4 e = edges[n];
        if (dropped && dropped[e.z]) continue;
        const float *h = c.hidden + (b * c.nodes + e.x) * d, *dstats = r.coefficients + ((b * c.nodes + e.y) * r.bases + k) * d;
        float dot = 0;
        for (int column = lane(); column < d; column += 32) dot += h[column] * dstats[column];
        sum += dot / r.inDegree[e.y];
    }
    sum = warpSum(sum);
    if (lane() == 0) chunked[(b * count + i) * r.bases + k] = sum;
}

// loop_backward: the self loop of CompGCN, a message of every node to itself. dloop gets a row per node, to be summed.
KERNEL loop_backward(float *dhidden, float *dloop, const float *hidden, const float *loop, const float *dfeature, int kind, int d, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    long row = i / d;
    int c = i % d, half = d / 2;
    const float *h = hidden + row * d, *dm = dfeature + row * 3 * d + 2 * d;
    float dh = dm[c], dr = kind == SUB ? -dm[c] : dm[c];
    if (kind == DISTMULT) {
        dh = dm[c] * loop[c];
        dr = dm[c] * h[c];
    }
    if (kind == ROTATE) {
        int o = c < half ? c + half : c - half;
        dh = c < half ? dm[c] * loop[c] + dm[o] * loop[o] : dm[c] * loop[o] - dm[o] * loop[c];
        dr = c < half ? dm[c] * h[c] + dm[o] * h[o] : dm[c] * h[o] - dm[o] * h[c];
    }
    if (kind == CORR) {
        dh = dr = 0;
        for (int k = 0; k < d; k++) {
            dh += dm[k] * loop[(c + k) % d];
            dr += dm[k] * h[(c - k + d) % d];
        }
    }
    dhidden[i] += dh;
    dloop[i] = dr;
}

// features writes the Linear's input (F) of every row; x is a number of it.
KERNEL features(float *out, const float *stats, const float *loop, Call c, long firstRow, int kind, int aggregate, int pieces, int f, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    long row = firstRow + i / f;
    int k = i % f, d = c.width;
    const float *h = c.hidden + row * d, *s = stats + row * pieces * d;
    if (aggregate == DIRECTED) {
        out[i] = k < 2 * d ? s[k] : messageAt(kind, h, loop, k - 2 * d, d);
        return;
    }
    if (k < d || aggregate != PNA) {
        out[i] = k < d ? h[k] : s[k - d];
        return;
    }
    int scaler = (k - d) % 3, stat = (k - d) / 3 % 4, column = (k - d) / 12; // ((d·4 + stat)·3 + scaler)
    float4 scale = c.scale[row % c.nodes];
    float x = s[stat * d + column];
    out[i] = scaler == 0 ? x : scaler == 1 ? x * scale.y : x * scale.z;
}

// features_backward writes dstats and adds to dhidden; x is a column of a row.
KERNEL features_backward(float *dstats, float *dhidden, const float *dfeature, const float4 *scales, long firstRow, int nodes,
                         int aggregate, int pieces, int d, int f, long n) BOUNDS(256) {
    long i = at();
    if (i >= n) return;
    long row = i / d;
    int c = i % d;
    const float *from = dfeature + row * f;
    if (aggregate != DIRECTED) dhidden[i] += from[c];
    float4 scale = scales[(firstRow + row) % nodes];
    for (int k = 0; k < pieces; k++) {
        float x = aggregate == DIRECTED ? from[k * d + c] : from[d + k * d + c];
        if (aggregate == PNA) {
            const float *triple = from + d + (c * 4 + k) * 3;
            x = triple[0] + scale.y * triple[1] + scale.z * triple[2];
        }
        dstats[(row * pieces + k) * d + c] = x;
    }
}
