/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Functions that the server's threads run on the CPU, by samples. */
#pragma once

#include "block_stack.h"
#include "server_stack.h"
#include "state.h"

/* The CPU clock's interrupt. One that comes from user space leaves its registers where a system call does. */
static __always_inline void sample_cpu(void *ctx)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct cpu_sample *record;
	__s32 server, kernel;

	if (pid_tgid >> 32 != target_tgid || !is_looking())
		return;
	server = server_stack(registers_of(current_task()), UNWINDS_SAMPLE);
	kernel = bpf_get_stackid(ctx, &stacks, 0);
	record = reserve(sizeof(*record));
	if (!record)
		return;
	fill_header(&record->header, bpf_ktime_get_ns(), (__u32)pid_tgid, KIND_CPU_SAMPLE);
	record->server_stack = server;
	record->kernel_stack = kernel;
	submit(record);
}

SEC("perf_event")
int on_cpu_sample(void *ctx)
{
	return COUNTED(ON_CPU_SAMPLE, sample_cpu(ctx));
}
