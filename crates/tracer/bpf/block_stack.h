/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel stack at a block, cheaply.
 *
 * Unwinding a stack costs 5 to 20 us, more than everything else that is done for a commit. But threads block at few
 * places. Once a stack was unwound, it is known where on the raw stack its return addresses lie, and a later block
 * whose raw stack has the same addresses at the same distances has the same stack. What lies between them is left by
 * earlier calls and says nothing. Distances count from the context of the tracepoint: where the stack itself begins
 * differs from one system call to the next (CONFIG_RANDOMIZE_KSTACK_OFFSET). A run unwinds a handful of stacks.
 *
 * Tried: comparing all of the raw stack. This unwound 600 stacks a second, because of what earlier calls had left.
 */
#pragma once

#include "state.h"

/* Raw stack that is compared: the block, the file system, and most of the way up to the system call. */
#define RAW_BYTES 768
#define RAW_WORDS (RAW_BYTES / sizeof(__u64))

/* Return addresses of a place. Indices are masked with this less one, so it is a power of two. */
#define FRAMES 16
/* Innermost addresses unwound, a power of two. */
#define UNWOUND 32
/* The first of them are the tracer's own and lie below the context; words of the raw stack where the others begin. */
#define OWN_FRAMES 6
#define BEGIN_WORDS 32

/* Places are kept by system call; more places than fit are learnt again and again, which costs time alone. */
#define SETS 16
#define PLACES 8

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 16384);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 127 * sizeof(__u64));
} stacks SEC(".maps");

/* A place where threads block. */
struct place {
	__u32 syscall;
	__s32 stack;
	/* Return addresses known; 0 for a place that is free. */
	__u32 frames;
	__u8 word[FRAMES];
	__u64 address[FRAMES];
};

struct place_set {
	__u64 learnt;
	struct place places[PLACES];
};

/* Each CPU learns for itself, so that none reads what another is writing. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SETS);
	__type(key, __u32);
	__type(value, struct place_set);
} place_sets SEC(".maps");

struct raw_stack {
	__u64 words[RAW_WORDS];
	__u64 unwound[UNWOUND];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct raw_stack);
} raw_stacks SEC(".maps");

static __always_inline struct raw_stack *raw_stack(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&raw_stacks, &zero);
}

static __always_inline struct place_set *place_set(__u32 syscall)
{
	__u32 index = syscall & (SETS - 1);

	return bpf_map_lookup_elem(&place_sets, &index);
}

static __always_inline bool is_at(const struct place *place, const struct raw_stack *raw)
{
#pragma clang loop unroll(disable)
	for (__u32 frame = 0; frame < FRAMES; frame++) {
		__u32 word = place->word[frame];

		if (frame >= place->frames)
			return frame;
		if (word >= RAW_WORDS || raw->words[word] != place->address[frame])
			return false;
	}
	return true;
}

/*
 * The id of the raw stack that was just read, negative when its place is not known.
 *
 * A function that is not static is verified once and not again for each path on which it is called; this and those
 * below would take more than the verifier gives otherwise.
 */
__noinline __s32 known_stack(__u32 syscall)
{
	struct raw_stack *raw = raw_stack();
	struct place_set *set = place_set(syscall);

	if (!raw || !set)
		return -1;
#pragma clang loop unroll(disable)
	for (__u32 index = 0; index < PLACES; index++) {
		struct place *place = &set->places[index];

		if (place->syscall == syscall && is_at(place, raw))
			return place->stack;
	}
	return -1;
}

/* 1 when they are equal, else 0, without a branch: the verifier follows both ways of each. */
static __always_inline __u64 same(__u64 a, __u64 b)
{
	__u64 difference = a ^ b;
	__u64 negative = -difference;

	/* Hides from the compiler what this computes: it would make a branch of it. */
	asm volatile("" : "+r"(negative));
	return ((difference | negative) >> 63) ^ 1;
}

/* Index of the innermost unwound address that lies on the raw stack. */
__noinline __u64 first_unwound(void)
{
	struct raw_stack *raw = raw_stack();
	__u64 first = 0;

	if (!raw)
		return 0;
#pragma clang loop unroll(disable)
	for (int index = OWN_FRAMES - 1; index >= 0; index--) {
		__u64 address = raw->unwound[index];
		__u64 found = 0;

#pragma clang loop unroll(disable)
		for (int word = 0; word < BEGIN_WORDS; word++)
			found |= same(raw->words[word], address);
		first = (first & (found - 1)) | (index & -found);
	}
	return first;
}

/* Learns the place of the raw stack that was just read and unwound to `count` addresses. */
__noinline int learn(__u32 syscall, __s32 stack, __u32 count)
{
	struct raw_stack *raw = raw_stack();
	struct place_set *set = place_set(syscall);
	__u64 next = first_unwound();
	struct place *place;
	__u64 frames = 0;

	if (!raw || !set)
		return 0;
	place = &set->places[set->learnt++ & (PLACES - 1)];
	place->syscall = syscall;
	place->stack = stack;
	/* Equals no word, so that the search stops here. */
	raw->unwound[count & (UNWOUND - 1)] = ~0ULL;
#pragma clang loop unroll(disable)
	for (__u32 word = 0; word < RAW_WORDS; word++) {
		__u64 hit = same(raw->words[word], raw->unwound[next & (UNWOUND - 1)]);

		place->word[frames & (FRAMES - 1)] = word;
		place->address[frames & (FRAMES - 1)] = raw->words[word];
		frames += hit;
		next += hit;
	}
	place->frames = frames < FRAMES ? frames : 0;
	return 0;
}

/*
 * The id of the current stack. The kernel keeps one stack for each value of a hash, and refuses another one with the
 * same value; without the innermost frames, which are the tracer's own, the value is another one.
 */
static __always_inline __s32 stack_id(void *ctx)
{
	__s32 id = bpf_get_stackid(ctx, &stacks, 0);

	if (id < 0)
		id = bpf_get_stackid(ctx, &stacks, 1);
	if (id < 0)
		id = bpf_get_stackid(ctx, &stacks, 2);
	return id;
}

/* The id of the stack on which the current thread blocks, negative when there is none. */
static __always_inline __s32 block_stack(void *ctx, __s16 syscall)
{
	struct raw_stack *raw = raw_stack();
	__u32 number = (__u16)syscall;
	__s64 unwound;
	__s32 id;

	/* The context of a raw tracepoint is an array of its arguments on the kernel's stack, below its caller. */
	if (!raw || bpf_probe_read_kernel(raw->words, sizeof(raw->words), ctx))
		return stack_id(ctx);
	id = known_stack(number);
	if (id >= 0)
		return id;
	id = stack_id(ctx);
	unwound = bpf_get_stack(ctx, raw->unwound, sizeof(raw->unwound), 0);
	if (id >= 0 && unwound > 0)
		learn(number, id, (__u32)unwound / sizeof(__u64));
	return id;
}
