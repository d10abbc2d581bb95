#!/usr/bin/env bash
# A commit of MySQL 9.7 sometimes waits 100 ms for redo that another thread has long copied, because nobody wakes it.
#
# Expected: the slowest updates of a closed loop are spread like the tail of the disk and of the CPUs.
# What happens: with innodb_log_writer_threads=OFF, the default below 32 CPUs, updates gather between 99 and 106 ms.
# log_buffer_wait_for_ready_for_write_lsn() (storage/innobase/log/log0buf.cc) waits for an event with a time-out of 100 ms, and
# the thread that completes the redo sets the event only if the waiter has published its position, which the waiter does only
# if the event is set. All commits of the group behind it wait as long. With ON no update is there.
# Versions: MySQL 9.7.4, sysbench 1.0.20; a machine on which more threads are ready than there are CPUs.
# Why it matters: who measures the tail of commits measures this wait, and buys a faster disk.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

SYSBENCH=1.0.20+ds-5
TURNS=6
SECONDS_A_TURN=15
THREADS=$((8 * $(nproc)))

# Prints the updates of a turn that took 99 to 106 ms, and all that took 60 to 99 or 106 to 160 ms.
turn() {
  with_libraries "$work/mariadb/usr/bin/sysbench" --mysql-socket="$work/run-mysql/sock" --mysql-user=root --mysql-db=sbtest \
    --tables=4 --table-size=10000 --threads="$THREADS" --time="$SECONDS_A_TURN" --histogram \
    "$work/mariadb/usr/share/sysbench/oltp_update_index.lua" run |
    awk '$2 ~ /^\|/ && $1 >= 60 && $1 <= 160 { $1 >= 99 && $1 < 106 ? inside += $NF : outside += $NF }
      END { print inside + 0, outside + 0 }'
}

fetch_mysql
fetch_mariadb "sysbench=$SYSBENCH"
start_mysql --innodb-log-writer-threads=OFF
sql "$work/run-mysql" 'CREATE DATABASE sbtest'
with_libraries "$work/mariadb/usr/bin/sysbench" --mysql-socket="$work/run-mysql/sock" --mysql-user=root --mysql-db=sbtest \
  --tables=4 --table-size=10000 "$work/mariadb/usr/share/sysbench/oltp_update_index.lua" prepare >/dev/null
printf 'MySQL %s, %s CPUs, %s threads\n' "$(sql "$work/run-mysql" 'SELECT VERSION()')" "$(nproc)" "$THREADS"
printf 'log writer threads   updates of 99 to 106 ms   of 60 to 99 or 106 to 160 ms\n'
off=0 on=0
for _ in $(seq "$TURNS"); do
  for threads in OFF ON; do
    sql "$work/run-mysql" "SET GLOBAL innodb_log_writer_threads = $threads"
    read -r inside outside < <(turn)
    printf '%-20s %8s %24s\n' "$threads" "$inside" "$outside"
    if [ "$threads" = OFF ]; then off=$((off + inside)); else on=$((on + inside)); fi
  done
done
[ "$off" -ge "$THREADS" ] || changed "$off updates waited 100 ms without the log writer threads"
[ "$off" -gt $((4 * on)) ] || changed "as many wait with the log writer threads"
