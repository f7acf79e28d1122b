// The head that reads the states after all of four layers of width 32 on the tensor cores:
// sigmoid(w2·ReLU(W0·[h1, h2, h3, h4, query] + b0) + b2). The query's columns are the same for all rows of a sample and
// come as a vector of 160. The middle layer is five fifths of 32 columns; a warp takes 16 rows.
#include "head.cuh"
#include "stage.cuh"

const int D = 32, STATES = 4, DEPTH = STATES * D, FIFTHS = 5, F = FIFTHS * D;
const int MIDDLE_TILES = F / 8, STATE_TILES = DEPTH / 8;
const int FACTORS = DEPTH / 8 * MIDDLE_TILES, PAIRS = F / 16 * STATE_TILES; // of forward 8×8, of backward 16×8

// head160_pack: first W0's columns of the states for forward, then the same transposed for backward.
KERNEL head160_pack(Right *out, const float *weight) BOUNDS(32) {
    int f = blockX(), g = lane() / 4, t = lane() % 4;
    if (f < FACTORS) {
        int step = f / MIDDLE_TILES, tile = f % MIDDLE_TILES;
        const float *row = weight + (tile / 4 * D + columnOf(tile % 4, g)) * F + step / 4 * D;
        out[f * 32 + lane()] = rightOf(row[depthOf(step % 4, t)], row[depthOf(step % 4, t + 4)]);
        return;
    }
    int step = (f - FACTORS) / STATE_TILES, tile = (f - FACTORS) % STATE_TILES;
    const float *column = weight + (step * 16 + 4 * t) * F + tile / 4 * D + columnOf(tile % 4, g);
    out[f * 32 + lane()] = rightPairs(column[0], column[F], column[2 * F], column[3 * F]);
}

struct Head {
    float *prob;
    float *dmiddle, *parts; // backward; parts (warps of the grid, 6, D): dw2 and, first of the sixth row, db2
    const float *dprob;
    const float *states[STATES], *constant; // constant (B,F)
    const Right *packed;
    const float *weight2, *bias2;
    int rows, nodes;
};

DYNAMIC(Right, factors);

INLINE void loadFactors(const Right *packed, int count) {
    for (int i = thread(); i < count * 32; i += threads()) factors[i] = packed[i];
}

// loadHead brings what forward needs: its factors, and the last layer's weight behind them.
INLINE const float *loadHead(const Head &f) {
    loadFactors(f.packed, FACTORS);
    float *weight2 = (float *)(factors + FACTORS * 32);
    if (thread() < F) weight2[thread()] = f.weight2[thread()];
    barrier();
    return weight2;
}

// middleOf is the hidden layer of two rows after the ReLU.
INLINE void middleOf(Row middle[2][FIFTHS], const Head &f, const int *row) {
    float4 sum[MIDDLE_TILES] = {};
    UNROLL for (int state = 0; state < STATES; state++) {
        Row x[2] = {rowAt(f.states[state] + (long)row[0] * D), rowAt(f.states[state] + (long)row[1] * D)};
        UNROLL for (int step = 0; step < 4; step++) {
            Left a = leftOf(x[0], x[1], step);
            UNROLL for (int tile = 0; tile < MIDDLE_TILES; tile++)
                multiplyAdd(sum[tile], a, factors[((state * 4 + step) * MIDDLE_TILES + tile) * 32 + lane()]);
        }
    }
    UNROLL for (int r = 0; r < 2; r++) UNROLL for (int q = 0; q < FIFTHS; q++) {
        Row own = resultOf(sum + 4 * q, r), more = rowAt(f.constant + (long)(row[r] / f.nodes) * F + q * D);
        EACH(p, i) middle[r][q].part[p][i] = larger(own.part[p][i] + more.part[p][i], 0);
    }
}

KERNEL head160_forward(Head f) BOUNDS(256, 1) {
    const float *weight = loadHead(f);
    for (int tile = blockX() * 8 + warp(); tile * 16 < f.rows; tile += blocksX() * 8) {
        Rows rows = rowsOf(tile, f.rows);
        Row middle[2][FIFTHS];
        middleOf(middle, f, rows.row);
        UNROLL for (int r = 0; r < 2; r++) {
            float sum = 0;
            UNROLL for (int q = 0; q < FIFTHS; q++) {
                Row w = rowAt(weight + q * D);
                EACH(p, i) sum = fma(w.part[p][i], middle[r][q].part[p][i], sum);
            }
            float logit = f.bias2[0] + quadSum(sum);
            if (lane() % 4 == 0) f.prob[rows.row[r]] = sigmoid(logit);
        }
    }
}

// head160_middle writes dmiddle (rows,F).
KERNEL head160_middle(Head f) BOUNDS(256, 1) {
    const float *weight = loadHead(f);
    Row sums[FIFTHS + 1] = {};
    for (int tile = blockX() * 8 + warp(); tile * 16 < f.rows; tile += blocksX() * 8) {
        Rows rows = rowsOf(tile, f.rows);
        Row middle[2][FIFTHS];
        middleOf(middle, f, rows.row);
        UNROLL for (int r = 0; r < 2; r++) {
            float p0 = f.prob[rows.row[r]], d = rows.counts[r] ? f.dprob[rows.row[r]] * p0 * (1 - p0) : 0;
            if (lane() % 4 == 0) sums[FIFTHS].part[0][0] += d;
            UNROLL for (int q = 0; q < FIFTHS; q++) {
                Row &m = middle[r][q], w = rowAt(weight + q * D);
                EACH(p, i) {
                    sums[q].part[p][i] = fma(d, m.part[p][i], sums[q].part[p][i]);
                    m.part[p][i] = m.part[p][i] > 0 ? d * w.part[p][i] : 0;
                }
                if (rows.counts[r]) putRow(f.dmiddle + (long)rows.row[r] * F + q * D, m);
            }
        }
    }
    UNROLL for (int q = 0; q <= FIFTHS; q++) putSum(f.parts + ((long)(blockX() * 8 + warp()) * (FIFTHS + 1) + q) * D, sums[q]);
}

struct StatesBackward {
    float *dstates[STATES];
    const float *dmiddle;
    const Right *packed; // those of backward
    int rows, pad;
};

// head160_states adds dmiddle·W0 to the gradients of the states.
KERNEL head160_states(StatesBackward f) BOUNDS(256, 2) {
    loadFactors(f.packed, PAIRS);
    barrier();
    for (int tile = blockX() * 8 + warp(); tile * 16 < f.rows; tile += blocksX() * 8) {
        Rows rows = rowsOf(tile, f.rows);
        float4 sum[STATE_TILES] = {};
        UNROLL for (int q = 0; q < FIFTHS; q++) {
            Row x[2] = {rowAt(f.dmiddle + (long)rows.row[0] * F + q * D), rowAt(f.dmiddle + (long)rows.row[1] * F + q * D)};
            UNROLL for (int half = 0; half < 2; half++) {
                Left a = leftPairs(x[0].part[half], x[1].part[half]);
                UNROLL for (int n = 0; n < STATE_TILES; n++) multiplyAddPairs(sum[n], a, factors[((q * 2 + half) * STATE_TILES + n) * 32 + lane()]);
            }
        }
        UNROLL for (int r = 0; r < 2; r++) if (rows.counts[r]) UNROLL for (int state = 0; state < STATES; state++)
            addRow(f.dstates[state] + (long)rows.row[r] * D, resultOf(sum + 4 * state, r));
    }
}

// The gradient of W0's columns of the states, dmiddleᵀ·[h1, h2, h3, h4] over all rows. A block takes 2,048 rows, 32 at a time
// while the next 32 arrive; few enough that the tensor cores, which round their sums towards zero, stay precise.
const int ROWS = 32, PER_BLOCK = 2048, CELLS = DEPTH * F;
const int STATE_PADDED = DEPTH + 8, MIDDLE_PADDED = F + 8;

struct WeightBackward {
    float *parts; // (blocks, CELLS)
    const float *states[STATES], *dmiddle;
    long rows;
};

struct Stage {
    float states[ROWS * STATE_PADDED], middle[ROWS * MIDDLE_PADDED];
};

INLINE void bringStage(Stage *s, const WeightBackward &f, long first, long end) {
    int column = thread() % 8 * 4, line = thread() / 8;
    long row = first + line;
    bool there = row < end;
    if (!there) row = 0;
    UNROLL for (int state = 0; state < STATES; state++) bring(s->states + line * STATE_PADDED + state * D + column, f.states[state] + row * D + column, there);
    UNROLL for (int q = 0; q < FIFTHS; q++) bring(s->middle + line * MIDDLE_PADDED + q * D + column, f.dmiddle + row * F + q * D + column, there);
    endStage();
}

// multiplyStage: of the 8 m-tiles of the states warp w takes 2(w%4) and the next, of the 20 n-tiles the half w/4.
INLINE void multiplyStage(float4 sum[2][MIDDLE_TILES / 2], const Stage *s) {
    int g = lane() / 4, t = lane() % 4, w = warp();
    const float *left = s->states + t * STATE_PADDED + w % 4 * 32 + g, *right = s->middle + t * MIDDLE_PADDED + w / 4 * (F / 2) + g;
    UNROLL for (int step = 0; step < ROWS / 16; step++) {
        Left a[2];
        UNROLL for (int m = 0; m < 2; m++) {
            const float *x = left + step * 16 * STATE_PADDED + m * 16;
            a[m] = leftPairs(columnAt(x, STATE_PADDED), columnAt(x + 8, STATE_PADDED));
        }
        UNROLL for (int n = 0; n < MIDDLE_TILES / 2; n++) {
            float4 x = columnAt(right + step * 16 * MIDDLE_PADDED + n * 8, MIDDLE_PADDED);
            Right b = rightPairs(x.x, x.y, x.z, x.w);
            UNROLL for (int m = 0; m < 2; m++) multiplyAddPairs(sum[m][n], a[m], b);
        }
    }
}

KERNEL head160_weight(WeightBackward f) BOUNDS(256, 2) {
    DYNAMIC(char, memory);
    Stage *stages = (Stage *)memory;
    float4 sum[2][MIDDLE_TILES / 2] = {};
    sumRows<ROWS>(sum, stages, f, PER_BLOCK);
    float *out = f.parts + (long)blockX() * CELLS;
    int row = warp() % 4 * 32 + lane() / 4, column = warp() / 4 * (F / 2) + lane() % 4 * 2;
    UNROLL for (int m = 0; m < 2; m++) UNROLL for (int n = 0; n < MIDDLE_TILES / 2; n++) {
        float *cell = out + (row + m * 16) * F + column + n * 8;
        *(float2 *)cell = (float2){sum[m][n].x, sum[m][n].y};
        *(float2 *)(cell + 8 * F) = (float2){sum[m][n].z, sum[m][n].w};
    }
}

// head160_add_weight adds the blocks' parts up, in a fixed order, and to dweight.
KERNEL head160_add_weight(float *dweight, const float *parts, int blocks) BOUNDS(256) {
    int cell = blockX() * 32 + lane();
    float sum = addParts(parts, blocks, CELLS, cell);
    if (warp() == 0) dweight[cell % F * F + cell / F] += sum;
}
