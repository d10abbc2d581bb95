/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel stack at a block, cheaply.
 *
 * Unwinding a stack costs about 5 us, more than everything else that is done for a commit. But a thread blocks at
 * few places. The words of the raw stack that point into the kernel's code (its return addresses, and what earlier
 * calls left) tell one place from another: a stack is unwound once for each such fingerprint. Left-overs make more
 * fingerprints than places, never one of two places.
 */
#pragma once

#include "state.h"

/* Bytes of raw stack in a fingerprint: the block, the file system, and most of the way up to the system call. */
#define FINGERPRINT_BYTES 512
#define FINGERPRINT_WORDS (FINGERPRINT_BYTES / sizeof(__u64))

/* Documentation/arch/x86/x86_64/mm.rst: kernel text, static data and modules lie from -2 GB to -16 MB. */
#define CODE_START 0xffffffff80000000ULL
#define CODE_END 0xffffffffff000000ULL

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 16384);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 127 * sizeof(__u64));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __s32);
} stack_of SEC(".maps");

struct raw_stack {
	__u64 words[FINGERPRINT_WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct raw_stack);
} raw_stacks SEC(".maps");

/*
 * The context of a raw tracepoint is an array of the arguments on the kernel's stack, below the frames of the
 * scheduler and of what called it. Returns 0 where the stack is shorter than a fingerprint.
 */
static __always_inline __u64 fingerprint(void *ctx, __u64 seed)
{
	__u32 zero = 0;
	struct raw_stack *raw = bpf_map_lookup_elem(&raw_stacks, &zero);
	__u64 hash = seed + 1;

	if (!raw || bpf_probe_read_kernel(raw->words, sizeof(raw->words), ctx))
		return 0;
#pragma unroll
	for (int word = 0; word < FINGERPRINT_WORDS; word++) {
		__u64 value = raw->words[word];

		if (value >= CODE_START && value < CODE_END)
			hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	}
	return hash;
}

/* The id of the stack on which the current thread blocks, negative when there is none. */
static __always_inline __s32 block_stack(void *ctx, __s16 syscall)
{
	__u64 key = fingerprint(ctx, (__u64)(__u16)syscall);
	__s32 *known = key ? bpf_map_lookup_elem(&stack_of, &key) : NULL;
	__s32 id;

	if (known)
		return *known;
	id = bpf_get_stackid(ctx, &stacks, 0);
	if (key && id >= 0)
		bpf_map_update_elem(&stack_of, &key, &id, BPF_ANY);
	return id;
}
