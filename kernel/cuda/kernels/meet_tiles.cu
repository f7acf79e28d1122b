// What relations tell each other, as in meet.cu, at width 32 and where the relations of neighbouring entities are alike.
// A block takes a tile of up to 255 entities: what they pass on stays in shared memory, and of every relation that
// meets some of them one row leaves it. Eight lanes take an entity or a relation, a lane four columns.
#include "device.cuh"

const int W = 32, GROUPS = 32, NOBODY = 255; // groups of eight lanes in a block; the entity that passes nothing on

struct Tiles {
    const int4 *list;     // {first entity, entities, first slot, slots}
    const int4 *entities; // {entity, its first pair, behind the last, 0}
    const int *relations; // of pairs
    const int4 *slots;    // {row, first word, behind the last, 0}, a relation of a tile each
    const u32 *words;     // four entities of a tile each
    int rows, pad;
};

INLINE int group() { return thread() / 8; }
INLINE int quad() { return thread() % 8; }
INLINE float4 quadAt(const float *rows, long row) { return fetch((const float4 *)(rows + row * W + 4 * quad())); }

// meet32_table: table (B,R,W) = weight · (first of r + second of r⁻¹), two columns of W at an offset in rows of a stride.
KERNEL meet32_table(float *table, const float *in, const float *weight, const int *inverse, int relations, int stride, int offset) BOUNDS(256) {
    int r = blockX() * GROUPS + group();
    if (r >= relations) return;
    long first = (long)blockY() * relations;
    in += offset + 4 * quad();
    const float *a = in + (first + r) * stride, *b = in + (first + inverse[r]) * stride + W;
    *(float4 *)(table + (first + r) * W + 4 * quad()) = weight[r] * (*(const float4 *)a + *(const float4 *)b);
}

// sumOf adds up the rows that the relations of an entity name, four loads under way at a time.
INLINE float4 sumOf(const float *table, const int *relations, int from, int to) {
    float4 sum = {0, 0, 0, 0};
    int k = from;
    for (; k + 4 <= to; k += 4) {
        float4 x[4];
        UNROLL for (int i = 0; i < 4; i++) x[i] = quadAt(table, relations[k + i]);
        sum += (x[0] + x[1]) + (x[2] + x[3]);
    }
    for (; k < to; k++) sum += quadAt(table, relations[k]);
    return sum;
}

// passOn is what an entity passes on: what it heard times its state, or backward what it was told times its state; then
// the state's gradient is the product of the two. No states are ones, without a gradient.
INLINE float4 passOn(float *dstates, const float *states, const float *heard, const float *told, const int *relations, int4 e, long row) {
    float4 s = {0, 0, 0, 0};
    if (!told || dstates) s = sumOf(heard, relations, e.y, e.z);
    if (told) {
        float4 t = sumOf(told, relations, e.y, e.z);
        float4 *to = (float4 *)(dstates + row * W + 4 * quad());
        if (dstates) *to += t * s;
        s = t;
    }
    return states ? s * quadAt(states, row) : s;
}

// meet32_tiles: part (B,rows,W), the sum over a tile's entities of what they pass on, for each of its relations.
KERNEL meet32_tiles(float *part, float *dstates, const float *states, const float *heard, const float *told, Tiles tiles, int entities, int relations) BOUNDS(256, 4) {
    SHARED float4 passed[256 * 8];
    int4 tile = tiles.list[blockX()];
    long b = blockY();
    heard += b * relations * W;
    if (told) told += b * relations * W;
    if (group() == 0) passed[NOBODY * 8 + quad()] = (float4){0, 0, 0, 0};
    for (int i = group(); i < tile.y; i += GROUPS) {
        int4 e = fetch(tiles.entities + tile.x + i);
        passed[i * 8 + quad()] = passOn(dstates, states, heard, told, tiles.relations, e, b * entities + e.x);
    }
    barrier();
    part += b * tiles.rows * W + 4 * quad();
    for (int i = group(); i < tile.w; i += GROUPS) {
        int4 slot = fetch(tiles.slots + tile.z + i);
        float4 sum = {0, 0, 0, 0};
        for (int k = slot.y; k < slot.z; k++) {
            u32 four = tiles.words[k];
            float4 x[4];
            UNROLL for (int n = 0; n < 4; n++) x[n] = passed[(four >> 8 * n & 255) * 8 + quad()];
            sum += (x[0] + x[1]) + (x[2] + x[3]);
        }
        *(float4 *)(part + (long)slot.x * W) = sum;
    }
}

// totalOf is what a relation hears in all: its rows of part, which are neighbours, times its weight.
INLINE float4 totalOf(const float *part, const float *weight, const int *first, int r) {
    float4 sum = {0, 0, 0, 0};
    int k = first[r], to = first[r + 1];
    for (; k + 4 <= to; k += 4) {
        float4 x[4];
        UNROLL for (int i = 0; i < 4; i++) x[i] = quadAt(part, k + i);
        sum += (x[0] + x[1]) + (x[2] + x[3]);
    }
    for (; k < to; k++) sum += quadAt(part, k);
    return weight[r] * sum;
}

// meet32_out: out (B,R,3W), a relation's state, and the totals of its heads and of its tails.
KERNEL meet32_out(float *out, const float *states, const float *part, const float *weight, const int *inverse, const int *first, int relations, int rows) BOUNDS(256) {
    int r = blockX() * GROUPS + group();
    if (r >= relations) return;
    long b = blockY(), row = b * relations + r;
    float4 total = totalOf(part + b * rows * W, weight, first, r);
    out += 4 * quad();
    *(float4 *)(out + row * 3 * W) = *(const float4 *)(states + row * W + 4 * quad());
    *(float4 *)(out + row * 3 * W + W) = total;
    *(float4 *)(out + (b * relations + inverse[r]) * 3 * W + 2 * W) = total;
}

// meet32_total: total (B,R,W) alone.
KERNEL meet32_total(float *total, const float *part, const float *weight, const int *first, int relations, int rows) BOUNDS(256) {
    int r = blockX() * GROUPS + group();
    if (r >= relations) return;
    long b = blockY();
    *(float4 *)(total + (b * relations + r) * W + 4 * quad()) = totalOf(part + b * rows * W, weight, first, r);
}
