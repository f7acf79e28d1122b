// Rows on their way to shared memory in the background, and columns of them as factors of a product over rows.
#pragma once
#include "device.cuh"

// bring copies 16 bytes to shared memory in the background, or zeros.
INLINE void bring(void *to, const void *from, bool there) {
    u32 shared;
    asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(shared) : "l"(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(there ? 16 : 0) : "memory");
}

// endStage closes a stage of copies; awaitStage waits until all but the last one closed are there, for the whole block.
INLINE void endStage() { asm volatile("cp.async.commit_group;" ::: "memory"); }
INLINE void awaitStage() {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    barrier();
}

// columnAt is four numbers of one column: rows t, t+4, t+8 and t+12. Rows of 8 numbers more than a
// multiple of 32 fall into different banks.
INLINE float4 columnAt(const float *x, int padded) { return (float4){x[0], x[4 * padded], x[8 * padded], x[12 * padded]}; }
