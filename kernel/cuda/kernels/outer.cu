// Gradients of weights at width 64: aᵀ·[b, c] over all rows, a, b and c of 64 columns each. A block takes
// 2,048 rows, 64 at a time while the next 64 arrive, and leaves 64 tiles of 16×8; few enough rows that the
// tensor cores, which round their sums towards zero, stay precise.
#include "stage.cuh"
#include "tensor.cuh"

const int D = 64, ROWS = 64, PER_BLOCK = 2048;
const int PADDED = D + 8; // a warp's reads then fall into 32 different banks
const int CELLS = D * 2 * D;

struct Factors {
    float *parts; // (blocks, CELLS)
    const float *a, *b, *c;
    long rows;
    int aStride, bStride; // between rows; c's is b's
};

// Stage is 64 rows in shared memory.
struct Stage {
    float a[ROWS * PADDED], b[ROWS * PADDED], c[ROWS * PADDED];
};

INLINE void bringRows(float *to, const float *from, int stride, long first, long end) {
    UNROLL for (int n = 0; n < ROWS * D; n += 1024) {
        int i = n + thread() * 4;
        long row = first + i / D;
        bring(to + i / D * PADDED + i % D, from + (row < end ? row : 0) * stride + i % D, row < end);
    }
}

INLINE void bringStage(Stage *s, const Factors &f, long first, long end) {
    bringRows(s->a, f.a, f.aStride, first, end);
    bringRows(s->b, f.b, f.bStride, first, end);
    bringRows(s->c, f.c, f.bStride, first, end);
    endStage();
}

// multiplyStage: warp w takes m-tiles 2(w%2) and the next, and of the 16 n-tiles the four from 4(w/2) on.
INLINE void multiplyStage(float4 sum[2][4], const Stage *s) {
    int g = lane() / 4, t = lane() % 4, w = warp();
    const float *left = s->a + w % 2 * 32, *right = (w < 4 ? s->b : s->c) + w / 2 % 2 * 32;
    UNROLL for (int step = 0; step < ROWS / 16; step++) {
        int k = (step * 16 + t) * PADDED + g;
        Left a[2];
        UNROLL for (int m = 0; m < 2; m++) a[m] = leftPairs(columnAt(left + k + m * 16, PADDED), columnAt(left + k + m * 16 + 8, PADDED));
        UNROLL for (int n = 0; n < 4; n++) {
            float4 x = columnAt(right + k + n * 8, PADDED);
            Right b = rightPairs(x.x, x.y, x.z, x.w);
            UNROLL for (int m = 0; m < 2; m++) multiplyAddPairs(sum[m][n], a[m], b);
        }
    }
}

KERNEL outer64(Factors f) BOUNDS(256, 2) {
    DYNAMIC(char, memory);
    Stage *stages = (Stage *)memory;
    float4 sum[2][4] = {};
    sumRows<ROWS>(sum, stages, f, PER_BLOCK);
    float *out = f.parts + (long)blockX() * CELLS;
    int row = warp() % 2 * 32 + lane() / 4, column = warp() / 2 * 32 + lane() % 4 * 2;
    UNROLL for (int m = 0; m < 2; m++) UNROLL for (int n = 0; n < 4; n++) {
        float *cell = out + (row + m * 16) * 2 * D + column + n * 8;
        *(float2 *)cell = (float2){sum[m][n].x, sum[m][n].y};
        *(float2 *)(cell + 8 * 2 * D) = (float2){sum[m][n].z, sum[m][n].w};
    }
}

// outer64_add adds the blocks' parts up, in a fixed order, and to dweight, where cell (i,k) lies at i·row + k·column.
KERNEL outer64_add(float *dweight, const float *parts, int blocks, int row, int column) BOUNDS(256) {
    int cell = blockX() * 32 + lane();
    float sum = addParts(parts, blocks, CELLS, cell);
    if (warp() == 0) dweight[cell / (2 * D) * row + cell % (2 * D) * column] += sum;
}
