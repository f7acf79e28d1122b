// Moving rows of numbers. Every kernel takes a thread per number, in the order of memory.
#include "device.cuh"

KERNEL fill(float *out, float value, long n) {
    for (long i = at(); i < n; i += (long)blocksX() * threads()) out[i] = value;
}

// gather: out[i] = table[rows[i]]; i is the block's y, or beyond the limit of y several.
KERNEL gather(float *out, const float *table, const int *rows, int count, long width) {
    long c = at();
    if (c >= width) return;
    for (int i = blockY(); i < count; i += blocksY()) out[i * width + c] = table[rows[i] * width + c];
}

KERNEL scatter(float *table, const float *in, const int *rows, int count, long width) {
    long c = at();
    if (c >= width) return;
    for (int i = blockY(); i < count; i += blocksY()) table[rows[i] * width + c] = in[i * width + c];
}

// scatter_add: row rows[k] of the table gets the rows from[at[k]], …, from[at[k+1]-1] in that order.
KERNEL scatter_add(float *table, const float *in, const int *rows, const int *first, const int *from, int count, long width) {
    long c = at();
    if (c >= width) return;
    for (int k = blockY(); k < count; k += blocksY()) {
        float sum = table[rows[k] * width + c];
        for (int i = first[k]; i < first[k + 1]; i++) sum += in[from[i] * width + c];
        table[rows[k] * width + c] = sum;
    }
}

// sum_rows_partly: of group y the rows from 256·x on, weighed; a thread per column, four warps take turns.
// The order of the sum is fixed by the shape: 8 rows in turn per warp, then the warps.
KERNEL sum_rows_partly(float *part, const float *x, const float *weight, int rows, int columns) BOUNDS(256) {
    SHARED float sums[8][32];
    int c = blockZ() * 32 + lane(), from = blockX() * 256;
    long group = (long)blockY() * rows;
    float sum = 0;
    for (int i = from + warp(); i < least(from + 256, rows); i += 8) {
        float w = weight ? weight[group + i] : 1;
        if (c < columns) sum = fma(w, x[(group + i) * columns + c], sum);
    }
    sums[warp()][lane()] = sum;
    barrier();
    if (warp() > 0 || c >= columns) return;
    for (int w = 1; w < 8; w++) sum += sums[w][lane()];
    part[((long)blockY() * blocksX() + blockX()) * columns + c] = sum;
}

// add_parts: out (groups, columns) += the sum over parts of part (groups, parts, columns).
KERNEL add_parts(float *out, const float *part, int parts, int columns, long n) {
    long i = at();
    if (i >= n) return;
    long group = i / columns, c = i % columns;
    float sum = 0;
    for (int p = 0; p < parts; p++) sum += part[(group * parts + p) * columns + c];
    out[i] += sum;
}
