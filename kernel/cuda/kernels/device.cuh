// Sums over warps and blocks in a fixed order, and what else all kernels need.
//
// The files are compiled with -ffp-contract=off: a product is fused into a sum only where
// fma() says so. Backward finds the messages that reached a maximum by comparing bits,
// so both passes must compute them alike.
#pragma once
#include "instructions.cuh"

// at is the thread's number in the x direction of the whole grid.
INLINE long at() { return (long)blockX() * threads() + thread(); }

INLINE float exchange(float x, int with) { return __builtin_bit_cast(float, exchange(__builtin_bit_cast(int, x), with)); }
INLINE double exchange(double x, int with) {
    long bits = __builtin_bit_cast(long, x);
    u32 low = exchange((int)bits, with), high = exchange((int)(bits >> 32), with);
    return __builtin_bit_cast(double, (long)high << 32 | (long)low);
}

INLINE int least(int x, int y) { return x < y ? x : y; }

// The sum, or largest, over the lanes of a warp, the same in all of them.
template <class T> INLINE T warpSum(T x) {
    UNROLL for (int with = 16; with > 0; with /= 2) x = x + exchange(x, with);
    return x;
}
template <class T> INLINE T warpMax(T x) {
    UNROLL for (int with = 16; with > 0; with /= 2) x = larger(x, exchange(x, with));
    return x;
}

// The same over a block of up to 1024 threads; slot is shared memory for 32 values.
template <class T> INLINE T blockSum(T x, T *slot) {
    x = warpSum(x);
    barrier();
    if (lane() == 0) slot[warp()] = x;
    barrier();
    x = lane() < threads() / 32 ? slot[lane()] : 0;
    return warpSum(x);
}
template <class T> INLINE T blockMax(T x, T *slot) {
    x = warpMax(x);
    barrier();
    if (lane() == 0) slot[warp()] = x;
    barrier();
    x = slot[lane() < threads() / 32 ? lane() : 0];
    return warpMax(x);
}
