/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Requests that a thread of the server finds there already: one statement ends and the next begins without a wait.
 *
 * Both servers ask for a request with MSG_DONTWAIT, and call poll() only where there is none (vio/viosocket.c, vio_read() and
 * vio_socket_io_wait()). sched.h sees the wait in poll(); a request that comes between the two calls leaves none. A packet is
 * read in parts: the first one after a reply is where a statement begins.
 */
#pragma once

#include "pool.h"
#include "state.h"

/* The numbers of x86-64. */
#define SENDTO 44
#define RECVFROM 45
#define POLL 7
#define PPOLL 271

static __always_inline bool is_of_client(long number)
{
	return number == SENDTO || number == RECVFROM;
}

/* A thread leaves its CPU in `poll` to wait for its client. That wait ends the statement. */
static __always_inline void note_client_wait(struct thread *thread)
{
	if (thread->syscall == POLL || thread->syscall == PPOLL) {
		thread->replied = 0;
		thread->is_session = 1;
		if (pools_threads)
			await_request(thread);
	}
}

/* A wait for the client of no length. */
static __always_inline void send_no_wait(__u32 tid)
{
	struct off_cpu *record = reserve(sizeof(*record));
	__u64 now = bpf_ktime_get_ns();

	if (!record)
		return;
	fill_header(&record->header, now, tid, KIND_OFF_CPU);
	record->out_ns = now;
	record->wake_ns = 0;
	record->waker_commit_ns = 0;
	record->waker_tid = 0;
	record->waker_tgid = 0;
	record->stack = -1;
	record->syscall = RECVFROM;
	record->waker_syscall = -1;
	record->cpu_wait = CPU_WAIT_UNKNOWN;
	record->cpu_tgid = 0;
	submit(record);
}

static __always_inline void end_talk(long number, long ret)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread)
		return;
	if (pools_threads) {
		if (number == SENDTO)
			note_reply(thread);
		else if (ret > 0)
			note_request(thread);
	} else if (number == SENDTO) {
		thread->replied = 1;
	} else if (ret > 0) {
		if (thread->replied)
			send_no_wait(tid);
		thread->replied = 0;
	}
}

SEC("tracepoint/syscalls/sys_exit_recvfrom")
int on_client_exit(struct syscall_exit *ctx)
{
	return COUNTED(ON_CLIENT_EXIT, end_talk(ctx->number, ctx->ret));
}
