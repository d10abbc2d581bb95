/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel side of logtrace: it timestamps and closes intervals of one server process, and decides no cause.
 * One header a mechanism. It is in C, because Rust for BPF cannot emit CO-RE relocations, which adapt a program to the
 * running kernel's structures.
 */
#include "kernel.h"

#include "calibration.h"
#include "client.h"
#include "commit.h"
#include "cpu_sample.h"
#include "flush.h"
#include "group.h"
#include "io.h"
#include "pool.h"
#include "sched.h"
#include "server_wait.h"

#include "layout_check.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";
