// What the kernels need of a GPU, declared here because no CUDA header is at hand when
// they are compiled: names for the compiler's own intrinsics, and sums over warps and
// blocks in a fixed order.
//
// The files are compiled with -ffp-contract=off: a product is fused into a sum only where
// fma() says so. Backward finds the messages that reached a maximum by comparing bits,
// so both passes must compute them alike.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));

#define KERNEL extern "C" __attribute__((global)) void
#define INLINE static inline __attribute__((device, always_inline))
#define SHARED static __attribute__((shared, aligned(16)))
#define BOUNDS(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define UNROLL _Pragma("unroll")

INLINE int thread() { return __nvvm_read_ptx_sreg_tid_x(); }
INLINE int threads() { return __nvvm_read_ptx_sreg_ntid_x(); }
INLINE int lane() { return __nvvm_read_ptx_sreg_tid_x() & 31; }
INLINE int warp() { return __nvvm_read_ptx_sreg_tid_x() >> 5; }
INLINE int blockX() { return __nvvm_read_ptx_sreg_ctaid_x(); }
INLINE int blockY() { return __nvvm_read_ptx_sreg_ctaid_y(); }
INLINE int blockZ() { return __nvvm_read_ptx_sreg_ctaid_z(); }
INLINE int blocksX() { return __nvvm_read_ptx_sreg_nctaid_x(); }
// at is the thread's number in the x direction of the whole grid.
INLINE long at() { return (long)blockX() * threads() + thread(); }
INLINE void barrier() { __syncthreads(); }

INLINE float exchange(float x, int with) {
    return __builtin_bit_cast(float, __nvvm_shfl_sync_bfly_i32(~0u, __builtin_bit_cast(int, x), with, 31));
}
INLINE double exchange(double x, int with) {
    long bits = __builtin_bit_cast(long, x);
    u32 low = __nvvm_shfl_sync_bfly_i32(~0u, (int)bits, with, 31);
    u32 high = __nvvm_shfl_sync_bfly_i32(~0u, (int)(bits >> 32), with, 31);
    return __builtin_bit_cast(double, (long)high << 32 | (long)low);
}
INLINE u32 ballot(bool set) { return __nvvm_vote_ballot_sync(~0u, set); }
INLINE void syncWarp() { __nvvm_bar_warp_sync(~0u); }

INLINE float fma(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
INLINE float root(float x) { return __nvvm_sqrt_rn_f(x); }
// A NaN stays one: a wrong number must show.
INLINE float larger(float x, float y) { return __nvvm_fmax_nan_f(x, y); }
INLINE float smaller(float x, float y) { return __nvvm_fmin_nan_f(x, y); }
INLINE double larger(double x, double y) { return __nvvm_fmax_d(x, y); }
INLINE int least(int x, int y) { return x < y ? x : y; }

// fetch reads memory that the kernel does not write. Where several loads should be under way at once, a plain
// load will not do: the compiler moves it to where its value is used, behind the branches between.
INLINE float fetch(const float *p) {
    float x;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(p));
    return x;
}
INLINE int4 fetch(const int4 *p) {
    int x, y, z, w;
    asm volatile("ld.global.nc.v4.s32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p));
    return (int4){x, y, z, w};
}
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
