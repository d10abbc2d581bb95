/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Flushes of devices' write caches, whoever waits for them. */
#pragma once

#include "older_kernels.h"
#include "state.h"

/* include/linux/blk_types.h, enum req_op: the low bits of a request's flags. */
#define REQ_OP_MASK 0xff
#define REQ_OP_FLUSH 2

/* The kernel's encoding of a device number (include/linux/kdev_t.h). */
#define MINORBITS 20

/* Flushes that devices are at: one for each of their queues (block/blk-flush.c). */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u64);
} flushing SEC(".maps");

static __always_inline bool is_flush(struct request *request)
{
	return (request->cmd_flags & REQ_OP_MASK) == REQ_OP_FLUSH;
}

/* block/blk-mq.c, blk_mq_start_request(). The first releases of Linux 5.10 gave the queue first: there it sees no flush. */
static __always_inline void issue_flush(struct request *request)
{
	__u64 key = (__u64)request;
	__u64 now;

	if (!is_flush(request) || !is_looking())
		return;
	now = bpf_ktime_get_ns();
	bpf_map_update_elem(&flushing, &key, &now, BPF_ANY);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_flush_issue, struct request *request)
{
	return COUNTED(ON_FLUSH_ISSUE, issue_flush(request));
}

/* block/blk-mq.c, blk_update_request(): before anybody who waits is woken. */
static __always_inline void complete_flush(struct request *request)
{
	__u64 key = (__u64)request;
	struct gendisk *disk;
	struct flush *record;
	__u64 *issued;

	if (!is_flush(request) || !is_looking())
		return;
	issued = bpf_map_lookup_elem(&flushing, &key);
	if (!issued)
		return;
	disk = disk_of(request);
	record = reserve(sizeof(*record));
	if (record) {
		fill_header(&record->header, bpf_ktime_get_ns(), 0, KIND_FLUSH);
		record->issue_ns = *issued;
		record->dev = disk ? (__u32)disk->major << MINORBITS | disk->first_minor : 0;
		record->pad = 0;
		submit(record);
	}
	bpf_map_delete_elem(&flushing, &key);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_flush_complete, struct request *request)
{
	return COUNTED(ON_FLUSH_COMPLETE, complete_flush(request));
}
