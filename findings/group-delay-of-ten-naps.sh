#!/usr/bin/env bash
# MySQL's delay of a commit group is ten naps: 10 us cost more than half a millisecond, and a group that is complete sleeps on.
#
# Expected: binlog_group_commit_sync_delay=10 makes a commit 10 us longer, so it is a careful first try.
# binlog_group_commit_sync_no_delay_count ends the delay as soon as so many transactions wait.
# What happens: Commit_stage_manager::wait_count_or_timeout() (sql/rpl_commit_stage_manager.cc) sleeps ten times a tenth of the
# delay, and looks at the count only between naps. Linux adds 50 us to each nap (the timer slack), and the wake-up takes its time,
# so delays of 10 and of 100 us cost nearly the same. With a delay of 1 s a group that is complete waits for up to 100 ms.
# MariaDB waits once, for a condition that the last transaction signals.
# Versions: MySQL 9.7.4, MariaDB 10.11.19.
# Why it matters: a series of delays begins with a step that is not what its name says: 10 us already have most of the cost of
# 500 us, and the curve from 10 to 100 us is flat. On a fast disk that is many times the sync that the delay should save.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

COMMITS=300
DELAYS_US=(0 10 100 1000)
TURNS=5

# Prints the microseconds of a commit by one connection.
commit_us() {
  local updates
  # shellcheck disable=SC2046 # A word for each commit.
  updates=$(printf 'UPDATE d.t SET v = v + 1 WHERE id = 1;%.0s' $(seq "$COMMITS"))
  sql "$1" "SET @start = SYSDATE(6); $updates SELECT TIMESTAMPDIFF(MICROSECOND, @start, SYSDATE(6)) DIV $COMMITS"
}

# Prints the microseconds of the commit that completes a group of two, 30 ms after the first.
second_us() {
  sql "$1" 'UPDATE d.t SET v = v + 1 WHERE id = 1' &
  sql "$1" 'SELECT SLEEP(0.03); SET @start = SYSDATE(6); UPDATE d.t SET v = v + 1 WHERE id = 2;
    SELECT TIMESTAMPDIFF(MICROSECOND, @start, SYSDATE(6))' | tail -n 1
  wait "$!"
}

median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

# Prints a row of the server in the directory $1, whose delay is the variable $2 and whose count is the variable $3.
row() {
  local run=$1 delay
  sql "$run" "CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB; INSERT INTO d.t VALUES (1, 0), (2, 0)"
  sql "$run" "SET GLOBAL $3 = 2"
  for delay in "${DELAYS_US[@]}"; do
    sql "$run" "SET GLOBAL $2 = $delay"
    for _ in $(seq "$TURNS"); do commit_us "$run"; done | median
  done
  sql "$run" "SET GLOBAL $2 = 1000000"
  for _ in $(seq "$TURNS"); do second_us "$run"; done | median
}

fetch_mysql
fetch_mariadb
# No sync at a commit: what is left is the delay.
start_mysql --sync-binlog=0 --innodb-flush-log-at-trx-commit=2
start_mariadb --log-bin=binlog --sync-binlog=0 --innodb-flush-log-at-trx-commit=2
mapfile -t mysql < <(row "$work/run-mysql" binlog_group_commit_sync_delay binlog_group_commit_sync_no_delay_count)
mapfile -t mariadb < <(row "$work/run-mariadb" binlog_commit_wait_usec binlog_commit_wait_count)
printf '%-26s %s\n' 'us of a commit, delay of' "${DELAYS_US[*]}; the second of two with a delay of 1 s"
for run in mysql mariadb; do
  declare -n times=$run
  printf '%-26s %s\n' "$(sql "$work/run-$run" 'SELECT VERSION()')" "${times[*]}"
done
[ $((mysql[1] - mysql[0])) -gt 300 ] || changed "MySQL's delay of 10 us costs $((mysql[1] - mysql[0])) us"
[ $((mysql[2] - mysql[0])) -lt $((2 * (mysql[1] - mysql[0]))) ] || changed "MySQL's delay of 100 us costs more than twice that of 10 us"
[ $((mariadb[1] - mariadb[0])) -lt 300 ] || changed "MariaDB's delay of 10 us costs $((mariadb[1] - mariadb[0])) us"
[ "${mysql[4]}" -gt 20000 ] || changed "a group of MySQL that is complete goes on after ${mysql[4]} us"
[ "${mariadb[4]}" -lt 20000 ] || changed "a group of MariaDB that is complete waits for ${mariadb[4]} us"
