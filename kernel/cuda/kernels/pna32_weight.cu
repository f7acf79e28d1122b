// The gradient of a PNA layer's weight at width 32: for each scaler dzᵀ·(scaler·statistics), and dzᵀ·h,
// over all rows. A block takes 2,048 rows, 64 at a time, and leaves 104 tiles of 16×8; few enough
// rows that the tensor cores, which round their sums towards zero, stay near float32's precision.
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

INLINE void bring(float *tile, const float *from, int columns, int padded, long first, long rows) {
    for (int i = thread() * 4; i < ROWS * columns; i += 1024) {
        long row = first + i / columns;
        float4 x = {0, 0, 0, 0};
        if (row < rows) x = *(const float4 *)(from + row * columns + i % columns);
        *(float4 *)(tile + i / columns * padded + i % columns) = x;
    }
}

KERNEL pna32_weight(Tiles f) BOUNDS(256, 2) {
    SHARED float dz[ROWS * NARROW], hidden[ROWS * NARROW];
    SHARED float2 scale[ROWS];
    extern __attribute__((shared, aligned(16))) float stats[];
    int g = lane() / 4, t = lane() % 4, w = warp();
    float4 sum[13] = {}; // 3 scalers × 2 n-tiles × 2 m-tiles, and one tile of the state's
    long from = (long)blockX() * PER_BLOCK, to = from + PER_BLOCK < f.rows ? from + PER_BLOCK : f.rows;
    for (long first = from; first < to; first += ROWS) {
        bring(dz, f.dz, D, NARROW, first, to);
        bring(hidden, f.hidden, D, NARROW, first, to);
        bring(stats, f.stats, STATS, WIDE, first, to);
        if (thread() < ROWS) {
            long row = first + thread() < f.rows ? first + thread() : f.rows - 1;
            float4 s = f.scales[row % f.nodes];
            scale[thread()] = (float2){s.y, s.z};
        }
        barrier();
        UNROLL for (int step = 0; step < ROWS / 8; step++) {
            int k = step * 8 + t;
            Left a[2];
            UNROLL for (int m = 0; m < 2; m++) {
                const float *x = dz + k * NARROW + m * 16 + g;
                a[m] = leftOf(x[0], x[8], x[4 * NARROW], x[4 * NARROW + 8]);
            }
            float2 near = scale[k], far = scale[k + 4];
            UNROLL for (int n = 0; n < 2; n++) {
                const float *x = stats + k * WIDE + (w * 2 + n) * 8 + g;
                float x0 = x[0], x1 = x[4 * WIDE];
                Right b[3] = {rightOf(x0, x1), rightOf(x0 * near.x, x1 * far.x), rightOf(x0 * near.y, x1 * far.y)};
                UNROLL for (int scaler = 0; scaler < 3; scaler++)
                    UNROLL for (int m = 0; m < 2; m++) multiplyAdd(sum[(scaler * 2 + n) * 2 + m], a[m], b[scaler]);
            }
            const float *x = hidden + k * NARROW + w / 2 * 8 + g;
            Left own; // number by number: choosing among arrays would put them into memory
            UNROLL for (int i = 0; i < 4; i++) {
                own.high[i] = w % 2 ? a[1].high[i] : a[0].high[i];
                own.low[i] = w % 2 ? a[1].low[i] : a[0].low[i];
            }
            multiplyAdd(sum[12], own, rightOf(x[0], x[4 * NARROW]));
        }
        barrier();
    }
    float4 *out = (float4 *)f.parts + ((long)blockX() * 8 + w) * 13 * 32 + lane();
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
