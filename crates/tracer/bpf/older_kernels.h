/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What older kernels have elsewhere, back to Linux 5.10.
 *
 * Which way is taken is decided at load time by what the running kernel has, never by its version: distributions bring
 * functions of new kernels to old ones (Red Hat Enterprise Linux 9 says 5.14 and has the eBPF of 6.12). The verifier does
 * not follow the other way, and removes it: what remains is an instruction that loads a constant. Kernels without type
 * information would need a table of offsets for each build, and are not supported.
 */
#pragma once

#include "kernel.h"

/* Functions of the kernel for programs, as its own type information names them. */
enum bpf_func_id___used {
	BPF_FUNC_get_current_task_btf___used = 1,
	BPF_FUNC_task_pt_regs___used,
};

/* Whether the current task comes with its type, so that reading a field costs one load. Since Linux 5.11. */
static __always_inline bool has_typed_task(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___used, BPF_FUNC_get_current_task_btf___used);
}

static __always_inline struct task_struct *current_task(void)
{
	return has_typed_task() ? bpf_get_current_task_btf() : (struct task_struct *)bpf_get_current_task();
}

/* A field of current_task(), or of what one of its fields points to. */
#define CURRENT_FIELD(source, field) (has_typed_task() ? (source)->field : READ_FIELD(source, field))

/* Whether the kernel tells where a task's registers are. Since Linux 5.15. */
static __always_inline bool has_typed_registers(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___used, BPF_FUNC_task_pt_regs___used);
}

/* arch/x86/include/asm/page_64_types.h */
#define THREAD_SIZE 16384

/* The registers with which a task has entered the kernel; before, they lay at the end of its stack. */
static __always_inline struct pt_regs *registers_of(struct task_struct *task)
{
	if (has_typed_registers())
		return (struct pt_regs *)bpf_task_pt_regs(task);
	return (struct pt_regs *)((__u64)READ_FIELD(task, stack) + THREAD_SIZE - bpf_core_type_size(struct pt_regs));
}

/* One of registers_of(). */
#define REGISTER(registers, name) (has_typed_registers() ? (registers)->name : READ_FIELD(registers, name))

struct task_struct___before_5_14 {
	unsigned long state;
} RELOCATED;

static __always_inline unsigned int state_of(struct task_struct *task)
{
	if (bpf_core_field_exists(((struct task_struct *)0)->__state))
		return task->__state;
	return ((struct task_struct___before_5_14 *)task)->state;
}

struct request___before_5_15 {
	struct gendisk *rq_disk;
} RELOCATED;

static __always_inline struct gendisk *disk_of(struct request *request)
{
	if (bpf_core_field_exists(((struct request_queue *)0)->disk))
		return request->q->disk;
	return ((struct request___before_5_15 *)request)->rq_disk;
}
