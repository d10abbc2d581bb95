#!/usr/bin/env bash
# With sync_binlog=0 the commit that fills a binary log of MySQL still syncs, four times and more, in its own thread.
#
# Expected: sync_binlog=0 leaves all syncs of the binary log to the operating system, so that commits wait for none.
# What happens: the session whose commit reaches max_binlog_size rotates before it answers (MYSQL_BIN_LOG::new_file_impl() in
# sql/binlog.cc). It syncs the log that ends, with all that the operating system has not written yet, the new one, and the
# index and its copy. The Performance Schema shows four of these syncs, strace six.
# Versions: MySQL 9.7.4.
# Why it matters: a benchmark with sync_binlog=0 has rare commits of a second: a whole log of max_binlog_size (1 GiB) goes to
# the disk in one of them. A mean hides it, and a short run never meets it.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

# Prints how many syncs of which files the session makes whose commit fills a binary log, and one that does not.
syncs() {
  local run=$1 size
  sql "$run" "CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v MEDIUMTEXT) ENGINE=InnoDB"
  sql "$run" "UPDATE performance_schema.setup_consumers SET enabled = 'YES' WHERE name LIKE 'events_waits%';
    SET GLOBAL max_binlog_size = 1048576; FLUSH BINARY LOGS"
  for size in 1000 2000000; do
    # In one session, which the Performance Schema knows by its connection.
    sql "$run" "INSERT INTO d.t (v) VALUES (REPEAT('x', $size));
      SELECT $size, SUBSTRING_INDEX(event_name, '/', -1), COUNT(*)
      FROM performance_schema.events_waits_history_long JOIN performance_schema.threads USING (thread_id)
      WHERE processlist_id = CONNECTION_ID() AND operation = 'sync' AND event_name LIKE '%binlog%' GROUP BY event_name"
  done
}

fetch_mysql
fetch_mariadb
# A larger history than a statement has waits.
start_mysql --sync-binlog=0 --performance-schema-instrument='wait/io/file/%=ON' --performance-schema-events-waits-history-long-size=10000
sql "$work/run-mysql" "SELECT VERSION(), 'sync_binlog', @@sync_binlog"
syncs "$work/run-mysql" >"$work/syncs"
awk '{ printf "a row of %d bytes: %s synced %d times\n", $1, $2, $3 }' "$work/syncs"
! grep -q '^1000\b' "$work/syncs" || changed "a commit that fills nothing syncs"
[ "$(awk '$1 == 2000000 { sum += $3 } END { print sum + 0 }' "$work/syncs")" -ge 3 ] || changed "a rotation makes fewer than three syncs"
