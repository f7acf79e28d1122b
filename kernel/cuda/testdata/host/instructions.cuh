// The instructions of kernels/instructions.cuh for an x86-64 CPU, so that tests run the kernels without a GPU. The threads
// of a block are fibers of one thread of the system: each runs until it must wait for others, of its warp or of its block.
// Blocks run one after another, so shared memory is memory that stays. None of this is fast.
#pragma once

extern "C" void *aligned_alloc(unsigned long alignment, unsigned long size);

typedef unsigned char u8;
typedef unsigned int u32;
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));

#define KERNEL extern "C" void
#define INLINE static inline __attribute__((always_inline))
#define SHARED static __attribute__((aligned(16)))
#define DYNAMIC(type, name) static __attribute__((aligned(16))) type name[232448 / sizeof(type)]
#define BOUNDS(...)
#define UNROLL

namespace host {

// Gate is where threads wait for each other: the last to arrive opens it.
struct Gate {
    int arrived = 0, members = 0;
    long opened = 0;
};

struct Fiber {
    void *stack;  // where it stopped
    void *memory; // of its stack
    Gate *gate;   // where it waits
    long since;   // the gate's count when it came
    bool done;
};

const int MOST = 1024, STACK = 64 << 10;
struct Word {
    u32 at[10];
};

static Fiber fibers[MOST];
static Gate block, warps[MOST / 32];
static Word words[MOST / 32][2][32]; // what lanes say to their warp, in turns
static int now, count, place[3], grid[3];
static void *scheduler;
static void (*body)();

// switchTo leaves a stack for another; registers that a call keeps are kept on the stack.
extern "C" void host_switch(void **leave, void *enter);
asm(R"(
.text
.type host_switch, @function
host_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");

static void open(Gate &g) {
    if (g.arrived < g.members) return;
    g.arrived = 0;
    g.opened++;
}

static __attribute__((noinline)) void await(Gate &g) {
    fibers[now].gate = &g;
    fibers[now].since = g.opened;
    g.arrived++;
    open(g);
    if (g.opened == fibers[now].since) host_switch(&fibers[now].stack, scheduler);
}

static void begin() {
    body();
    Fiber &f = fibers[now];
    f.done = true;
    // Who has ended is waited for no longer.
    block.members--;
    warps[now / 32].members--;
    if (block.arrived > 0) open(block);
    if (warps[now / 32].arrived > 0) open(warps[now / 32]);
    host_switch(&f.stack, scheduler);
}

static void start(int i) {
    Fiber &f = fibers[i];
    if (!f.memory) f.memory = aligned_alloc(64, STACK);
    void **top = (void **)((char *)f.memory + STACK) - 2;
    *--top = nullptr; // where begin would return to
    *--top = (void *)begin;
    top -= 6;
    __builtin_memset(top, 0, 6 * sizeof(void *));
    f = {top, f.memory, nullptr, 0, false};
}

// runBlock lets all threads of a block run to their ends.
static bool runBlock() {
    block = {0, count, 0};
    for (int w = 0; w < (count + 31) / 32; w++) warps[w] = {0, count - w * 32 < 32 ? count - w * 32 : 32, 0};
    for (int i = 0; i < count; i++) start(i);
    for (int left = count; left > 0;) {
        bool moved = false;
        for (int i = 0; i < count; i++) {
            Fiber &f = fibers[i];
            if (f.done || f.gate && f.gate->opened == f.since) continue;
            now = i;
            f.gate = nullptr;
            host_switch(&scheduler, f.stack);
            moved = true;
            left -= f.done;
        }
        if (!moved) return false; // all wait for one that does not come
    }
    return true;
}

// say gives all lanes of the warp what each of them says.
static inline const Word *say(const Word &w) {
    Gate &g = warps[now / 32];
    Word *all = words[now / 32][g.opened % 2];
    all[now % 32] = w;
    await(g);
    return all;
}

// launch runs every block of a grid; a kernel's arguments lie in its parameter block.
template <class... A> struct Arguments;
template <> struct Arguments<> {
    template <class F, class... B> static void apply(F f, const char *, long, B... b) { f(b...); }
};
template <class First, class... Rest> struct Arguments<First, Rest...> {
    template <class F, class... B> static void apply(F f, const char *p, long at, B... b) {
        at = (at + alignof(First) - 1) / alignof(First) * alignof(First);
        First x;
        __builtin_memcpy(&x, p + at, sizeof x);
        Arguments<Rest...>::apply(f, p, at + sizeof x, b..., x);
    }
};
static const char *parameters;
template <auto K> struct Kernel;
template <class... A, void (*K)(A...)> struct Kernel<K> {
    static void run() { Arguments<A...>::apply(K, parameters, 0); }
};

// launch gives 0, or 1 where threads of a block wait for ever. With only set, that block alone runs.
template <auto K> int launch(const char *p, const int *size, int threads, const int *only) {
    parameters = p;
    body = Kernel<K>::run;
    count = threads;
    for (int k = 0; k < 3; k++) grid[k] = size[k];
    int from[3] = {0, 0, 0}, to[3] = {size[0], size[1], size[2]};
    if (only) for (int k = 0; k < 3; k++) from[k] = only[k], to[k] = only[k] + 1;
    for (place[2] = from[2]; place[2] < to[2]; place[2]++)
        for (place[1] = from[1]; place[1] < to[1]; place[1]++)
            for (place[0] = from[0]; place[0] < to[0]; place[0]++)
                if (!runBlock()) return 1;
    return 0;
}

} // namespace host

INLINE int thread() { return host::now; }
INLINE int threads() { return host::count; }
INLINE int lane() { return host::now & 31; }
INLINE int warp() { return host::now >> 5; }
INLINE int blockX() { return host::place[0]; }
INLINE int blockY() { return host::place[1]; }
INLINE int blockZ() { return host::place[2]; }
INLINE int blocksX() { return host::grid[0]; }
INLINE int blocksY() { return host::grid[1]; }
INLINE int blocksZ() { return host::grid[2]; }
INLINE void barrier() { host::await(host::block); }

INLINE int from(int x, int lane) { return host::say({{(u32)x}})[lane].at[0]; }
INLINE int exchange(int x, int with) { return host::say({{(u32)x}})[lane() ^ with].at[0]; }
INLINE u32 ballot(bool set) {
    const host::Word *all = host::say({{set}});
    u32 bits = 0;
    for (int i = 0; i < 32; i++) bits |= all[i].at[0] << i;
    return bits;
}
INLINE void syncWarp() { host::say({}); }

INLINE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
INLINE float root(float x) { return __builtin_sqrtf(x); }
INLINE double floorOf(double x) { return __builtin_floor(x); }
INLINE float power2(float x) { return __builtin_exp2f(x); }
INLINE float log2Of(float x) { return __builtin_log2f(x); }
INLINE float larger(float x, float y) { return x != x || y != y ? __builtin_nanf("") : x > y ? x : y; }
INLINE float smaller(float x, float y) { return x != x || y != y ? __builtin_nanf("") : x < y ? x : y; }
INLINE double larger(double x, double y) { return __builtin_fmax(x, y); }
INLINE void raise(u32 *to, u32 x) { if (*to < x) *to = x; }

INLINE float fetch(const float *p) { return *p; }
INLINE float4 fetch(const float4 *p) { return *p; }
INLINE int4 fetch(const int4 *p) { return *p; }
INLINE int2 fetch(const int2 *p) { return *p; }
INLINE u32 fetch(const u8 *p) { return *p; }
INLINE float fetchIf(u32 bit, const float *p) { return bit ? *p : 0; }
INLINE void fetchInto(float4 &v, bool bit, const float *p) { if (bit) v = *(const float4 *)p; }
INLINE void stream(float *p, float4 x) { *(float4 *)p = x; }

INLINE void bring(void *to, const void *from, bool there) {
    if (there) __builtin_memcpy(to, from, 16);
    else __builtin_memset(to, 0, 16);
}
INLINE void endStage() {}
INLINE void awaitCopies() {}

// To the nearest, ties away from zero; and to the nearest, ties to even.
INLINE u32 narrowed(float x) { return (__builtin_bit_cast(u32, x) + 0x1000) & ~0x1fffu; }
INLINE u32 packed(float x, float y) {
    u32 a = __builtin_bit_cast(u32, x), b = __builtin_bit_cast(u32, y);
    a += 0x7fff + (a >> 16 & 1);
    b += 0x7fff + (b >> 16 & 1);
    return a >> 16 | (b & 0xffff0000u);
}

// Lane 4g+t holds of the left factor rows g and g+8 at k = t, then at k = t+4; of the right one column g at the same two k's.
INLINE void multiply(float4 &sum, const u32 *a, u32 b0, u32 b1) {
    const host::Word *all = host::say({{a[0], a[1], a[2], a[3], b0, b1}});
    int g = lane() / 4, t = lane() % 4;
    for (int i = 0; i < 4; i++) {
        int half = i / 2, column = 2 * t + i % 2;
        double x = 0;
        for (int k = 0; k < 8; k++) {
            u32 left = all[4 * g + k % 4].at[half + 2 * (k / 4)], right = all[4 * column + k % 4].at[4 + k / 4];
            x += (double)__builtin_bit_cast(float, left) * __builtin_bit_cast(float, right);
        }
        sum[i] += (float)x;
    }
}

// The same with two k's to a register: k = 2t and 2t+1, then 2t+8 and 2t+9.
INLINE void multiplyPairs(float4 &sum, const u32 *a, u32 b0, u32 b1) {
    const host::Word *all = host::say({{a[0], a[1], a[2], a[3], b0, b1}});
    int g = lane() / 4, t = lane() % 4;
    auto half = [](u32 pair, int which) { return __builtin_bit_cast(float, which ? pair & 0xffff0000u : pair << 16); };
    for (int i = 0; i < 4; i++) {
        int lower = i / 2, column = 2 * t + i % 2;
        double x = 0;
        for (int k = 0; k < 16; k++) {
            int of = k % 8 / 2, second = k / 8;
            x += (double)half(all[4 * g + of].at[lower + 2 * second], k % 2) * half(all[4 * column + of].at[4 + second], k % 2);
        }
        sum[i] += (float)x;
    }
}
