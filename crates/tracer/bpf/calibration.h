/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Programs that do nothing: the account of the tracer's cost needs to know what calling a program costs. */
#pragma once

#include "runs.h"

/* Each system call of the machine, now and then: all of them are slower while one is traced. */
SEC("tp_btf/sys_enter")
int BPF_PROG(on_any_call)
{
	return COUNTED(ON_ANY_CALL, (void)0);
}

/* A call in logtrace's own process (crates/tracer/src/overhead/calibration.rs). */
SEC("uprobe.multi")
int on_nothing(struct pt_regs *ctx)
{
	return COUNTED(ON_NOTHING, (void)0);
}
