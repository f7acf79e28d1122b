// The gradient of a PNA layer's weight at width 32: for each scaler dzᵀ·(scaler·statistics), and dzᵀ·h,
// over all rows. A block takes 2,048 rows, 64 at a time while the next 64 arrive, and leaves 104 tiles
// of 16×8; few enough rows that the tensor cores, which round their sums towards zero, stay precise.
#include "stage.cuh"
#include "tensor.cuh"

const int D = 32, STATS = 4 * D, ROWS = 64, PER_BLOCK = 2048;
const int NARROW = D + 8, WIDE = STATS + 8; // padded: a warp's reads then fall into 32 different banks

struct Tiles {
    float *parts; // (blocks, 104·128)
    const float *dz, *hidden, *stats;
    const float4 *scales;
    long rows;
    int nodes, pad;
};

// Stage is 64 rows in shared memory.
struct Stage {
    float dz[ROWS * NARROW], hidden[ROWS * NARROW], stats[ROWS * WIDE];
    float4 scale[ROWS];
};

INLINE void bringRows(float *to, const float *from, int columns, int padded, long first, long end) {
    for (int i = thread() * 4; i < ROWS * columns; i += 1024) {
        long row = first + i / columns;
        bring(to + i / columns * padded + i % columns, from + (row < end ? row : 0) * columns + i % columns, row < end);
    }
}

INLINE void bringStage(Stage *s, const Tiles &f, long first, long end) {
    bringRows(s->dz, f.dz, D, NARROW, first, end);
    bringRows(s->hidden, f.hidden, D, NARROW, first, end);
    bringRows(s->stats, f.stats, STATS, WIDE, first, end);
    long row = first + thread();
    if (thread() < ROWS) bring(s->scale + thread(), f.scales + (row < end ? row % f.nodes : 0), row < end);
    endStage();
}

// multiplyStage: of dzᵀ both m-tiles, of the statistics two n-tiles of each warp, under three scalers; of the states one tile.
INLINE void multiplyStage(float4 *sum, const Stage *s) {
    int g = lane() / 4, t = lane() % 4, w = warp();
    UNROLL for (int step = 0; step < ROWS / 16; step++) {
        int k = step * 16 + t;
        Left a[2];
        UNROLL for (int m = 0; m < 2; m++) a[m] = leftPairs(columnAt(s->dz + k * NARROW + m * 16 + g, NARROW), columnAt(s->dz + k * NARROW + m * 16 + g + 8, NARROW));
        float4 up, down;
        UNROLL for (int i = 0; i < 4; i++) {
            float4 scale = s->scale[k + 4 * i];
            up[i] = scale.y;
            down[i] = scale.z;
        }
        UNROLL for (int n = 0; n < 2; n++) {
            float4 x = columnAt(s->stats + k * WIDE + (w * 2 + n) * 8 + g, WIDE);
            UNROLL for (int scaler = 0; scaler < 3; scaler++) {
                float4 y = scaler == 0 ? x : scaler == 1 ? x * up : x * down;
                Right b = rightPairs(y.x, y.y, y.z, y.w);
                UNROLL for (int m = 0; m < 2; m++) multiplyAddPairs(sum[(scaler * 2 + n) * 2 + m], a[m], b);
            }
        }
        float4 x = columnAt(s->hidden + k * NARROW + w / 2 * 8 + g, NARROW);
        Left own; // number by number: choosing among arrays would put them into memory
        UNROLL for (int i = 0; i < 4; i++) {
            own.high[i] = w % 2 ? a[1].high[i] : a[0].high[i];
            own.low[i] = w % 2 ? a[1].low[i] : a[0].low[i];
        }
        multiplyAddPairs(sum[12], own, rightPairs(x.x, x.y, x.z, x.w));
    }
}

KERNEL pna32_weight(Tiles f) BOUNDS(256, 2) {
    DYNAMIC(char, memory);
    Stage *stages = (Stage *)memory;
    float4 sum[13] = {}; // 3 scalers × 2 n-tiles × 2 m-tiles, and one tile of the state's
    sumRows<ROWS>(sum, stages, f, PER_BLOCK);
    float4 *out = (float4 *)f.parts + ((long)blockX() * 8 + warp()) * 13 * 32 + lane();
    UNROLL for (int i = 0; i < 13; i++) out[i * 32] = sum[i];
}

// pna32_add_weight adds the blocks' tiles up, in their order, and to dweight (D, 13·D); x is a number of a block's.
KERNEL pna32_add_weight(float *dweight, const float *parts, int blocks) BOUNDS(128) {
    int i = at(), slot = i % 4, g = i / 4 % 32 / 4, t = i / 4 % 4, tile = i / 128 % 13, w = i / (128 * 13);
    float sum = 0;
    _Pragma("unroll 8") for (int b = 0; b < blocks; b++) sum += parts[(long)b * 104 * 128 + i];
    int m = tile == 12 ? w % 2 : tile % 2, row = m * 16 + g + 8 * (slot / 2), n = 2 * t + slot % 2;
    if (tile == 12) {
        dweight[row * 13 * D + w / 2 * 8 + n] += sum;
        return;
    }
    int scaler = tile / 4, feature = (w * 2 + tile / 2 % 2) * 8 + n, stat = feature / D, column = feature % D;
    dweight[row * 13 * D + D + (column * 4 + stat) * 3 + scaler] += sum;
}
