#!/usr/bin/env bash
# MariaDB counts the bytes of its redo log before they become blocks, and the Performance Schema does not know the file.
#
# Expected: Innodb_os_log_written is what is written to the redo log, and wait/io/file/innodb has the time of its writes and syncs,
# as in MySQL.
# What happens: Innodb_os_log_written is how far the LSN went. Each commit writes the last block again as a whole, 4 KiB on most
# devices, so the file gets several times as many bytes. The redo log has no instrument at all: with every instrument of files on,
# only the binary log's syncs are there, though each commit waits for both. Innodb_os_log_fsyncs is gone, too.
# Version: MariaDB 10.11.19; strace counts the system calls.
# Why it matters: "bytes of redo a commit" is what the wear of an SSD and the limit of a cloud volume are computed from. Half of a
# commit's syncs are in no counter of time, and the binary log gets the blame.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

COMMITS=200

written() { sql "$run" "SHOW GLOBAL STATUS LIKE 'Innodb_os_log_written'" | cut -f 2; }

# Prints how often the system call $1 was made on the redo log, and the sum of its results.
calls() { awk -v call="$1" '$0 ~ call "\\([0-9]+<[^>]*ib_logfile0>" { n++; sum += $NF } END { print n + 0, sum + 0 }' "$work/calls"; }

fetch_mariadb
run=$work/run-mariadb
start_mariadb --log-bin=binlog --sync-binlog=1 --innodb-flush-log-at-trx-commit=1 --performance-schema=ON \
  --performance-schema-instrument='wait/io/file/%=ON'
sql "$run" 'CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB; INSERT INTO d.t VALUES (1, 0);
  TRUNCATE performance_schema.file_summary_by_event_name'
strace -f -qq -y -o "$work/calls" -e trace=pwrite64,fdatasync -p "$(cat "$run/pid")" &
strace=$!
sleep 1
before=$(written)
# shellcheck disable=SC2046 # A word for each commit.
sql "$run" "$(printf 'UPDATE d.t SET v = v + 1 WHERE id = 1;%.0s' $(seq "$COMMITS"))"
counted=$(($(written) - before))
kill "$strace"
wait "$strace" || true
read -r writes bytes < <(calls pwrite64)
read -r syncs _ < <(calls fdatasync)
printf 'MariaDB %s, %s commits by one connection\n' "$(sql "$run" 'SELECT VERSION()')" "$COMMITS"
printf 'redo log: %s writes, %s bytes, %s syncs; Innodb_os_log_written %s\n' "$writes" "$bytes" "$syncs" "$counted"
instruments=$(sql "$run" "SELECT NAME FROM performance_schema.setup_instruments WHERE NAME LIKE 'wait/io/file/innodb/%'")
printf 'instruments of InnoDB files: %s\n' "${instruments//$'\n'/, }"
sql "$run" "SELECT EVENT_NAME, COUNT_WRITE, COUNT_MISC FROM performance_schema.file_summary_by_event_name WHERE COUNT_STAR > $COMMITS" |
  sed 's/^/writes, and syncs and others: /'
[ "$syncs" -ge "$COMMITS" ] || changed "the redo log is not synced for each commit"
[ $((2 * bytes)) -gt $((3 * counted)) ] || changed "$bytes bytes were written and $counted counted"
[[ $instruments != *log* ]] || changed "there is an instrument of the redo log"
