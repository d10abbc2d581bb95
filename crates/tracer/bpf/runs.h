/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Runs of each program: all are counted, and one in 32 or so is timed.
 *
 * The kernel's own statistics (BPF_ENABLE_STATS) cost 130 ns a run while they are on, and count half of that as the
 * program's time; switching them patches the code of the kernel. So they can only be on now and then, and what they
 * miss has to be concluded: on in one of twenty rounds of the reader, they gave 5.7 begins of a commit for each commit in
 * the worst series. Here every run is counted, and the timed ones are spread over all of the time, for 3 ns a run.
 */
#pragma once

#include "kernel.h"

/*
 * Names of the programs, in the order of the Rust side (crates/tracer/src/overhead/program_runs.rs). The first two run one
 * after the other: their cache lines come together.
 */
enum program {
	ON_SWITCH,
	ON_SWITCHED,
	ON_WAKING,
	ON_IO_ENTER,
	ON_IO_EXIT,
	ON_WAIT_EXIT,
	ON_CLIENT_EXIT,
	ON_REQUEST,
	ON_SYS_ENTER,
	ON_SYS_EXIT,
	ON_COMMIT_BEGIN,
	ON_COMMIT_END,
	ON_ASYNC_BEGIN,
	ON_ASYNC_END,
	ON_XA_BEGIN,
	ON_XA_END,
	ON_GALERA_BEGIN,
	ON_GALERA_END,
	ON_FLUSH_JOIN,
	ON_FLUSH_LEAD,
	ON_GROUP_JOIN,
	ON_GROUP_MEMBER,
	ON_FLUSH_ISSUE,
	ON_FLUSH_COMPLETE,
	ON_CPU_SAMPLE,
	ON_ANY_CALL,
	ON_NOTHING,
	PROGRAMS,
};

/* Runs of one program on one CPU: a cache line. */
struct runs {
	__u64 count;
	/* Count of the next run that is timed. */
	__u64 next;
	/* Number of timed runs, the sum of their times in nanoseconds, and the sum of the squares of these. */
	__u64 timed;
	__u64 ns;
	__u64 squares;
	/* Sum of the times that reading the clock once took, in each of the timed runs. */
	__u64 clock_ns;
	/* Start of the run that is being timed, 0 for none. */
	__u64 began_ns;
	/* What the program has to do when it runs next: on_switched alone uses it (server_wait.h). */
	__u64 due;
};

_Static_assert(sizeof(struct runs) == 64, "crates/tracer/src/overhead/program_runs.rs reads it");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PROGRAMS);
	__type(key, __u32);
	__type(value, struct runs);
} program_runs SEC(".maps");

/* The time between two timed runs is a random number of runs: the clock's last bits. */
#define JITTER 63

static __always_inline struct runs *runs_of(__u32 program)
{
	return bpf_map_lookup_elem(&program_runs, &program);
}

static __always_inline struct runs *begin_run(__u32 program)
{
	struct runs *runs = runs_of(program);
	__u64 before_ns, now, clock_ns;

	if (runs && ++runs->count >= runs->next) {
		before_ns = bpf_ktime_get_ns();
		now = bpf_ktime_get_ns();
		clock_ns = now - before_ns;
		runs->clock_ns += clock_ns;
		runs->next = runs->count + 1 + (before_ns & JITTER);
		/*
		 * Later by one reading of the clock, which the time would have in it otherwise. It is in the map, where
		 * the verifier does not follow it: it would verify everything twice.
		 */
		runs->began_ns = now + clock_ns;
	}
	return runs;
}

static __always_inline void end_run(struct runs *runs)
{
	__u64 now, ns;

	if (!runs->began_ns)
		return;
	now = bpf_ktime_get_ns();
	ns = now > runs->began_ns ? now - runs->began_ns : 0;
	runs->timed++;
	runs->ns += ns;
	runs->squares += ns * ns;
	runs->began_ns = 0;
}

/* Does the work of a program in a run that is counted; the program's result is 0. */
#define COUNTED(program, work)                          \
	({                                              \
		struct runs *runs = begin_run(program); \
                                                        \
		if (runs) {                             \
			work;                           \
			end_run(runs);                  \
		}                                       \
		0;                                      \
	})
