#!/usr/bin/env bash
# MariaDB's stage "Writing to binlog" has no part of the writing of the binary log, and none of its sync.
#
# Expected: of a slow commit the stage "Writing to binlog" is long if the disk of the binary log is slow.
# What happens: the stage is set while a statement puts its rows into the transaction's cache, in memory
# (stage_binlog_write, sql/log.cc). The commit, which writes and syncs the file, is the stage "Commit". With syncs that take 50 ms
# longer all of that is in "Commit", the redo log's and the binary log's in one.
# Version: MariaDB 10.11.19; strace delays the system calls.
# Why it matters: who looks at the stages of a slow commit acquits the binary log, whatever its disk does.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

DELAY_US=50000
COMMITS=5

fetch_mariadb
start_mariadb --log-bin=binlog --sync-binlog=1 --innodb-flush-log-at-trx-commit=1 --performance-schema=ON \
  --performance-schema-instrument='stage/%=ON' --performance-schema-consumer-events-stages-current=ON \
  --performance-schema-consumer-events-stages-history-long=ON
run=$work/run-mariadb
sql "$run" 'CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT) ENGINE=InnoDB'

# Prints the mean milliseconds of each stage that takes 0.1 ms or more, or is named after the binary log.
stages() {
  local inserts
  # shellcheck disable=SC2046 # A word for each commit.
  inserts=$(printf 'INSERT INTO d.t (v) VALUES (1);%.0s' $(seq "$COMMITS"))
  sql "$run" "TRUNCATE performance_schema.events_stages_history_long; $inserts
    SELECT SUBSTRING_INDEX(event_name, '/', -1), SUM(timer_wait) / 1e9 / $COMMITS AS ms
    FROM performance_schema.events_stages_history_long JOIN performance_schema.threads USING (thread_id)
    WHERE processlist_id = CONNECTION_ID() AND event_name NOT LIKE '%/init' GROUP BY event_name
    HAVING ms >= 0.1 OR event_name LIKE '%binlog%' ORDER BY ms DESC"
}

printf 'MariaDB %s, ms of a stage in a commit\n' "$(sql "$run" 'SELECT VERSION()')"
stages >"$work/fast"
strace -f -qq -o /dev/null -e trace=fdatasync,fsync -e inject=fdatasync,fsync:delay_enter="$DELAY_US" -p "$(cat "$run/pid")" &
strace=$!
sleep 1
stages >"$work/slow"
kill "$strace"
wait "$strace" || true
printf 'as it is:\n%s\n' "$(cat "$work/fast")"
printf 'each sync takes %s ms longer:\n%s\n' $((DELAY_US / 1000)) "$(cat "$work/slow")"
ms() { awk -F '\t' -v stage="$1" '$1 == stage { print int($2 * 1000) }' "$work/slow"; }
writing=$(ms 'Writing to binlog') commit=$(ms Commit)
[ -n "$writing" ] || changed 'there is no stage "Writing to binlog"'
[ "$writing" -lt $((DELAY_US / 10)) ] || changed "\"Writing to binlog\" takes $writing us"
[ "$commit" -gt "$DELAY_US" ] || changed "\"Commit\" takes $commit us"
