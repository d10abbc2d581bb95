/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What other processes write to the file systems on which the server has its files.
 *
 * The block layer does not know who wrote: pages that were written to the cache reach the device by threads of the kernel.
 * So the bytes are counted at the system calls, which are traced anyway. Small writes are not looked at: a call of another
 * process costs as much as before. Pages that are written by a mapping or by io_uring are not seen.
 */
#pragma once

#include "state.h"

/* File systems of the files that the server writes or syncs. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u8);
} server_devices SEC(".maps");

struct other_writer {
	__u32 tgid;
	__u32 dev;
};

/* Bytes of each process that were not sent yet. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_PERCPU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct other_writer);
	__type(value, __u64);
} other_bytes SEC(".maps");

/* The least bytes of a call that is looked at, and of a record. */
#define LEAST_WRITE 4096
#define LEAST_SENT (1 << 20)

static __always_inline void note_device(__u32 dev)
{
	__u8 known = 1;

	bpf_map_update_elem(&server_devices, &dev, &known, BPF_ANY);
}

static __always_inline void send_other_writes(const struct other_writer *writer, __u64 bytes)
{
	struct other_writes *record = reserve(sizeof(*record));

	if (!record)
		return;
	fill_header(&record->header, bpf_ktime_get_ns(), 0, KIND_OTHER_WRITES);
	record->bytes = bytes;
	record->tgid = writer->tgid;
	record->dev = writer->dev;
	bpf_get_current_comm(record->name, COMM_BYTES);
	submit(record);
}

/* Counts the bytes that the current process wrote to a regular file, if that is on a file system of the server. */
static __always_inline void count_other_write(const struct inode *inode, __u32 tgid, __u64 bytes)
{
	struct other_writer writer = { .tgid = tgid };
	__u64 *sum;

	writer.dev = READ_FIELD(BPF_CORE_READ(inode, i_sb), s_dev);
	if (!bpf_map_lookup_elem(&server_devices, &writer.dev))
		return;
	sum = bpf_map_lookup_elem(&other_bytes, &writer);
	if (sum) {
		*sum += bytes;
		if (*sum < LEAST_SENT)
			return;
		bytes = *sum;
		*sum = 0;
	} else if (bytes < LEAST_SENT) {
		bpf_map_update_elem(&other_bytes, &writer, &bytes, BPF_ANY);
		return;
	}
	send_other_writes(&writer, bytes);
}
