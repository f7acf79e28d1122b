// Matrix products in float32, for every shape: a tile of 64×64 per block, four by four
// per thread. The shapes that matter most have kernels of their own on the tensor cores (linear_*.cu, head_*.cu).
#include "device.cuh"

// Operand says where element (i,k) of a matrix lies: at i·row + k·column.
struct Operand {
    const float *at;
    long row, column;
};

const int TILE = 64, DEPTH = 16;

// load brings the tile from (i0,k0) to shared memory as [k][i]; neighbouring threads read
// neighbouring memory whichever way the matrix lies.
INLINE void load(float (*tile)[TILE + 4], Operand m, long i0, long rows, long k0, long depth) {
    bool across = m.column == 1;
    UNROLL for (int n = 0; n < TILE * DEPTH; n += 256) {
        int x = n + thread();
        int i = across ? x / DEPTH : x % TILE, k = across ? x % DEPTH : x / TILE;
        bool inside = i0 + i < rows && k0 + k < depth;
        tile[k][i] = inside ? m.at[(i0 + i) * m.row + (k0 + k) * m.column] : 0;
    }
}

// matmul: out (M,N), its rows stride apart, = a (M,K) · b (N,K)ᵀ, over the k's of split z. With one split it ends in
// out = act(product + bias), or out += product; with several it leaves parts for finish_matmul.
KERNEL matmul(float *out, const float *a, long arow, long acolumn, const float *b, long brow, long bcolumn,
              const float *bias, long m, long n, long stride, long depth, long perSplit, int relu, int add, int partial) BOUNDS(256) {
    SHARED float as[DEPTH][TILE + 4], bs[DEPTH][TILE + 4];
    long i0 = (long)blockX() * TILE, j0 = (long)blockY() * TILE;
    long from = blockZ() * perSplit, to = from + perSplit < depth ? from + perSplit : depth;
    int ti = thread() / 16 * 4, tj = thread() % 16 * 4;
    float sum[4][4] = {};
    for (long k0 = from; k0 < to; k0 += DEPTH) {
        load(as, {a, arow, acolumn}, i0, m, k0, to);
        load(bs, {b, brow, bcolumn}, j0, n, k0, to);
        barrier();
        UNROLL for (int k = 0; k < DEPTH; k++) {
            float4 x = *(float4 *)&as[k][ti], y = *(float4 *)&bs[k][tj];
            UNROLL for (int i = 0; i < 4; i++) UNROLL for (int j = 0; j < 4; j++) sum[i][j] = fma(x[i], y[j], sum[i][j]);
        }
        barrier();
    }
    if (partial) out += blockZ() * m * n;
    UNROLL for (int i = 0; i < 4; i++) UNROLL for (int j = 0; j < 4; j++) {
        if (i0 + ti + i >= m || j0 + tj + j >= n) continue;
        float *cell = out + (i0 + ti + i) * stride + j0 + tj + j;
        float x = sum[i][j] + (bias ? bias[j0 + tj + j] : 0) + (add ? *cell : 0);
        *cell = relu ? larger(x, 0) : x;
    }
}

// finish_matmul adds the splits up in their order.
KERNEL finish_matmul(float *out, const float *part, const float *bias, long n, long stride, long cells, int splits, int relu, int add) {
    long i = at();
    if (i >= cells) return;
    float x = bias ? bias[i % n] : 0;
    for (int s = 0; s < splits; s++) x += part[s * cells + i];
    float *cell = out + i / n * stride + i % n;
    if (add) x += *cell;
    *cell = relu ? larger(x, 0) : x;
}

// relu_backward: dy = dout where the activation let it pass.
KERNEL relu_backward(float *dy, const float *dout, const float *out, long n) {
    long i = at();
    if (i < n) dy[i] = out[i] > 0 ? dout[i] : 0;
}
