/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The stack of the server's functions, of the current thread.
 *
 * Servers keep frame pointers, but libc does not, so that the way through libc is found with a table
 * (crates/tracer/src/stacks). It costs a few reads for each frame. bpf_get_stack() follows frame pointers alone, and
 * starts from garbage in libc, where threads block. perf and samply copy 16 to 32 KiB of stack and unwind later: that
 * costs more for each stack, and the stack of MySQL's flush leader has 15.9 KB.
 */
#pragma once

#include "state.h"

/* include/uapi/asm-generic/errno-base.h */
#define E2BIG 7

/* Frames of a stack, a power of two. */
#define SERVER_FRAMES 32

/* A program or library of the server; without rows its functions keep frame pointers. */
#define MODULES 32

struct module {
	__u64 start;
	__u64 end;
	/* Address of what the file calls address 0. */
	__u64 bias;
	__u32 first_row;
	__u32 rows;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MODULES);
	__type(key, __u32);
	__type(value, struct module);
} modules SEC(".maps");

/* Where the caller's registers are, from this address of the file on. */
struct unwind_row {
	__u32 address;
	/* An enum frame_base. */
	__u32 base;
	/* Distance of the frame's end (CFA) from its base; the return address lies below that end. */
	__s32 end_offset;
	/* Place of the caller's frame pointer below the frame's end; 0 where it is in its register. */
	__s32 pointer_offset;
};

enum frame_base {
	BASE_UNKNOWN,
	BASE_STACK_POINTER,
	BASE_FRAME_POINTER,
};

/* log2 of the most rows (crates/tracer/src/stacks/tables.rs). */
#define MOST_ROWS_LOG2 20

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	/* The reader sets as many as there are. */
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_row);
} unwind_rows SEC(".maps");

struct server_stack {
	/* Addresses inside of the functions, innermost first. */
	__u64 frames[SERVER_FRAMES];
};

/* Stacks by a hash of their addresses. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct server_stack);
} server_stacks SEC(".maps");

/* A stack that was unwound, with what it takes to know it again. */
struct seen_stack {
	__u64 ip;
	__u64 sp;
	__u64 bp;
	__s32 id;
	__u32 count;
	struct server_stack stack;
	/* Where the return address of each frame but the innermost lies. */
	__u64 places[SERVER_FRAMES];
};

/* The stack of each thread's last long wait: most threads that wait long do it at the same place each time. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct seen_stack);
} last_waits SEC(".maps");

struct unwinder {
	/* The next instruction of the innermost function; in its callers, an address inside of their call. */
	__u64 ip;
	__u64 sp;
	__u64 bp;
	struct seen_stack found;
};

/* The states of each CPU: a sample may interrupt the reading of another stack. */
enum unwinder_use {
	UNWINDS_WAIT,
	UNWINDS_SAMPLE,
	UNWINDER_USES,
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UNWINDER_USES);
	__type(key, __u32);
	__type(value, struct unwinder);
} unwinders SEC(".maps");

static __always_inline struct unwinder *unwinder(__u32 use)
{
	return bpf_map_lookup_elem(&unwinders, &use);
}

static __always_inline struct module *module_of(__u64 ip)
{
#pragma clang loop unroll(disable)
	for (__u32 index = 0; index < MODULES; index++) {
		__u32 key = index;
		struct module *module = bpf_map_lookup_elem(&modules, &key);

		if (!module || !module->end)
			return NULL;
		if (ip >= module->start && ip < module->end)
			return module;
	}
	return NULL;
}

/* The last row of the module that begins at or before this address of its file. */
static __always_inline struct unwind_row *row_of(const struct module *module, __u64 address)
{
	__u32 first = module->first_row, end = first + module->rows;
	struct unwind_row *found = NULL;

#pragma clang loop unroll(disable)
	for (int step = 0; step <= MOST_ROWS_LOG2 && first < end; step++) {
		__u32 middle = first + (end - first) / 2;
		struct unwind_row *row = bpf_map_lookup_elem(&unwind_rows, &middle);

		if (!row)
			return NULL;
		if (row->address <= address) {
			found = row;
			first = middle + 1;
		} else {
			end = middle;
		}
	}
	return found;
}

/*
 * Goes to the caller's frame. A call may be the last instruction of its function, so that the return address lies behind
 * the function: the address before it is taken.
 */
static __always_inline int enter_caller(struct unwinder *at, __u64 sp, __u64 bp, __u64 return_address)
{
	at->ip = return_address - 1;
	at->sp = sp;
	at->bp = bp;
	return return_address != 0;
}

/* Goes to the caller's frame by frame pointers. The two words are the caller's frame pointer and the return address. */
static __always_inline int step_by_pointer(struct unwinder *at)
{
	__u64 words[2];

	if (at->bp < at->sp || bpf_probe_read_user(words, sizeof(words), (void *)at->bp))
		return 0;
	return enter_caller(at, at->bp + sizeof(words), words[0], words[1]);
}

static __always_inline int step_by_row(struct unwinder *at, const struct unwind_row *row)
{
	__u64 end = (row->base == BASE_FRAME_POINTER ? at->bp : at->sp) + row->end_offset;
	__u64 ip, bp = at->bp;

	if (row->base == BASE_UNKNOWN || bpf_probe_read_user(&ip, sizeof(ip), (void *)(end - sizeof(ip))))
		return 0;
	if (row->pointer_offset && bpf_probe_read_user(&bp, sizeof(bp), (void *)(end + row->pointer_offset)))
		return 0;
	return enter_caller(at, end, bp, ip);
}

/* Goes to the caller's frame; 0 where the way is not known. A function of its own is verified once. */
__noinline int step_out(__u32 use)
{
	struct unwinder *at = unwinder(use);
	struct module *module;
	struct unwind_row *row;

	if (!at)
		return 0;
	module = module_of(at->ip);
	if (!module)
		return 0;
	if (!module->rows)
		return step_by_pointer(at);
	row = row_of(module, at->ip - module->bias);
	return row ? step_by_row(at, row) : 0;
}

/* Unwinds the stack with which the current thread has entered the kernel; NULL where there is no room for it. */
static __always_inline struct seen_stack *unwind(const struct pt_regs *regs, __u32 use)
{
	struct unwinder *at = unwinder(use);
	struct seen_stack *found;
	__u64 hash = 0;
	__u32 frame;

	if (!at)
		return NULL;
	found = &at->found;
	__builtin_memset(&found->stack, 0, sizeof(found->stack));
	found->ip = at->ip = REGISTER(regs, ip);
	found->sp = at->sp = REGISTER(regs, sp);
	found->bp = at->bp = REGISTER(regs, bp);
#pragma clang loop unroll(disable)
	for (frame = 0; frame < SERVER_FRAMES; frame++) {
		found->stack.frames[frame & (SERVER_FRAMES - 1)] = at->ip;
		found->places[frame & (SERVER_FRAMES - 1)] = at->sp - sizeof(at->ip);
		hash = (hash ^ at->ip) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 29;
		if (!step_out(use))
			break;
	}
	found->count = frame + 1;
	found->id = (hash ^ hash >> 32) & 0x7fffffff;
	/* A stack that is there already is the same one: two in a thousand million share their hash. */
	if (!bpf_map_lookup_elem(&server_stacks, &found->id) &&
	    bpf_map_update_elem(&server_stacks, &found->id, &found->stack, BPF_NOEXIST) == -E2BIG)
		return NULL;
	return found;
}

/* The id of the stack from which the current thread has entered the kernel, negative where none can be read. */
static __always_inline __s32 server_stack(const struct pt_regs *regs, __u32 use)
{
	struct seen_stack *found = unwind(regs, use);

	return found ? found->id : -1;
}

/*
 * Whether the return addresses of this thread's last wait still lie where they lay. A function's frame has one size,
 * so that it is the same stack then, from the innermost function on.
 */
__noinline int has_same_callers(__u32 tid)
{
	struct seen_stack *last = bpf_map_lookup_elem(&last_waits, &tid);

	if (!last)
		return 0;
#pragma clang loop unroll(disable)
	for (__u32 frame = 1; frame < SERVER_FRAMES; frame++) {
		__u64 address;

		if (frame >= last->count)
			return 1;
		if (bpf_probe_read_user(&address, sizeof(address), (void *)last->places[frame]) ||
		    address - 1 != last->stack.frames[frame])
			return 0;
	}
	return 1;
}

/* The same of a thread after a long wait. Unwinding takes some 5 us, and to see that nothing has changed a tenth. */
static __always_inline __s32 wait_stack(const struct pt_regs *regs, __u32 tid)
{
	struct seen_stack *last = bpf_map_lookup_elem(&last_waits, &tid);
	struct seen_stack *found;

	if (last && last->ip == REGISTER(regs, ip) && last->sp == REGISTER(regs, sp) && last->bp == REGISTER(regs, bp) &&
	    has_same_callers(tid))
		return last->id;
	found = unwind(regs, UNWINDS_WAIT);
	if (!found)
		return -1;
	bpf_map_update_elem(&last_waits, &tid, found, BPF_ANY);
	return found->id;
}
