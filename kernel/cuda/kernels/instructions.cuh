// The GPU's own instructions, by the names that the kernels use, since no CUDA header is at hand when they are
// compiled. All that C++ does not know is here, so that a test can put a header for the CPU in its place
// (testdata/host) and run the kernels without a GPU.
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
// DYNAMIC is the block's shared memory whose size the launch says.
#define DYNAMIC(type, name) extern __attribute__((shared, aligned(16))) type name[]
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
INLINE int blocksY() { return __nvvm_read_ptx_sreg_nctaid_y(); }
INLINE int blocksZ() { return __nvvm_read_ptx_sreg_nctaid_z(); }
INLINE void barrier() { __syncthreads(); }

// exchange is what the lane holds whose number differs in the bits of with; from what another lane holds.
INLINE int exchange(int x, int with) { return __nvvm_shfl_sync_bfly_i32(~0u, x, with, 31); }
INLINE int from(int x, int lane) { return __nvvm_shfl_sync_idx_i32(~0u, x, lane, 31); }
INLINE u32 ballot(bool set) { return __nvvm_vote_ballot_sync(~0u, set); }
INLINE void syncWarp() { __nvvm_bar_warp_sync(~0u); }

INLINE float fma(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
INLINE float root(float x) { return __nvvm_sqrt_rn_f(x); }
INLINE double floorOf(double x) { return __nvvm_floor_d(x); }
// Powers and logarithms of 2, approximately.
INLINE float power2(float x) { return __nvvm_ex2_approx_f(x); }
INLINE float log2Of(float x) { return __nvvm_lg2_approx_f(x); }
// A NaN stays one: a wrong number must show.
INLINE float larger(float x, float y) { return __nvvm_fmax_nan_f(x, y); }
INLINE float smaller(float x, float y) { return __nvvm_fmin_nan_f(x, y); }
INLINE double larger(double x, double y) { return __nvvm_fmax_d(x, y); }
INLINE void raise(u32 *to, u32 x) { __nvvm_atom_max_gen_ui(to, x); }

// fetch reads memory that the kernel does not write. Where several loads should be under way at once, a plain
// load will not do: the compiler moves it to where its value is used, behind the branches between.
INLINE float fetch(const float *p) {
    float x;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(p));
    return x;
}
INLINE float4 fetch(const float4 *p) {
    float x, y, z, w;
    asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p));
    return (float4){x, y, z, w};
}
INLINE int4 fetch(const int4 *p) {
    int x, y, z, w;
    asm volatile("ld.global.nc.v4.s32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p));
    return (int4){x, y, z, w};
}
INLINE int2 fetch(const int2 *p) {
    int x, y;
    asm volatile("ld.global.nc.v2.s32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "l"(p));
    return (int2){x, y};
}
INLINE u32 fetch(const u8 *p) {
    u32 x;
    asm volatile("ld.global.nc.u8 %0, [%1];" : "=r"(x) : "l"(p));
    return x;
}
// fetchIf reads a number where the bit is set, else it is 0.
INLINE float fetchIf(u32 bit, const float *p) {
    float x;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.f32 %0, 0f00000000; @p ld.global.nc.f32 %0, [%1]; }" : "=&f"(x) : "l"(p), "r"(bit));
    return x;
}
// fetchInto reads four numbers into v where the bit is set.
INLINE void fetchInto(float4 &v, bool bit, const float *p) {
    float x = v.x, y = v.y, z = v.z, w = v.w;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4]; }" : "+f"(x), "+f"(y), "+f"(z), "+f"(w) : "l"(p), "r"((int)bit));
    v = (float4){x, y, z, w};
}
// stream writes past the L2 as far as it can: for what is read much later.
INLINE void stream(float *p, float4 x) {
    asm volatile("st.global.cs.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(p), "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w) : "memory");
}

// bring copies 16 bytes to shared memory in the background, or zeros. endStage closes a stage of copies; awaitCopies waits
// until all but the last one closed are there, for the thread's own.
INLINE void bring(void *to, const void *from, bool there) {
    u32 shared;
    asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(shared) : "l"(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(there ? 16 : 0) : "memory");
}
INLINE void endStage() { asm volatile("cp.async.commit_group;" ::: "memory"); }
INLINE void awaitCopies() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }

// narrowed is a number as tf32, 11 bits; packed two numbers as bf16, 8 bits each, the first in the lower half.
INLINE u32 narrowed(float x) {
    u32 y;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
    return y;
}
INLINE u32 packed(float x, float y) {
    u32 z;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(z) : "f"(y), "f"(x));
    return z;
}

// The tensor cores: 16×8 by 8×8 of tf32, and 16×16 by 16×8 of bf16 (tensor.cuh says which lane holds what).
INLINE void multiply(float4 &sum, const u32 *a, u32 b0, u32 b1) {
    float x = sum.x, y = sum.y, z = sum.z, w = sum.w;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    sum = (float4){x, y, z, w};
}
INLINE void multiplyPairs(float4 &sum, const u32 *a, u32 b0, u32 b1) {
    float x = sum.x, y = sum.y, z = sum.z, w = sum.w;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    sum = (float4){x, y, z, w};
}
