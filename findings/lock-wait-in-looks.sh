#!/usr/bin/env bash
# One wait for a metadata lock of MariaDB is many sleeps of a second: what looks at sleeps sees the holder of the last one alone.
#
# Expected: a session that waits 3.5 s for FLUSH TABLES WITH READ LOCK sleeps once, until its holder wakes it, as MySQL's does.
# What happens: MDL_context::acquire_lock() of MariaDB (sql/mdl.cc) waits a second at a time, to see whether its client is still
# there. All sleeps but the last end by the timer. MySQL looks only while it waits for an exclusive lock.
# Versions: MySQL 9.7.4, MariaDB 10.11.19.
# Why it matters: tools that measure off-CPU time with wakers (offwaketime, bpftrace scripts on sched_switch and sched_waking)
# say of MariaDB that 3 s of 3.5 s were a timer, and that nobody held the lock for longer than a second. A release right when the
# thread looks wakes nobody at all.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

HELD_S=3.5

# Prints how often the thread $1 of the server in the directory $2 has gone to sleep.
sleeps() { awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$(cat "$2/pid")/task/$1/status"; }

# Prints the sleeps of a session that waits for a lock of all tables.
waited() {
  local run=$1 ids=$2 thread before
  sql "$run" "CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY) ENGINE=InnoDB"
  sql "$run" "FLUSH TABLES WITH READ LOCK; DO SLEEP($HELD_S); UNLOCK TABLES" &
  sleep 0.5
  sql "$run" "INSERT INTO d.t VALUES (1)" &
  sleep 0.5
  thread=$(sql "$run" "$ids")
  before=$(sleeps "$thread" "$run")
  # The session ends right after it got the lock.
  sleep 2.4
  echo $(($(sleeps "$thread" "$run") - before))
  wait %1 %2 2>/dev/null || true
}

fetch_mysql
fetch_mariadb
start_mysql
start_mariadb
declare -A ids=([mysql]="SELECT thread_os_id FROM performance_schema.threads WHERE processlist_info LIKE 'INSERT%'"
  [mariadb]="SELECT tid FROM information_schema.processlist WHERE info LIKE 'INSERT%'")
counts=()
set -m
for run in mysql mariadb; do
  seen=$(waited "$work/run-$run" "${ids[$run]}")
  printf '%s: the session went to sleep %d times more within 2.4 s of one wait\n' "$(sql "$work/run-$run" 'SELECT VERSION()')" "$seen"
  counts+=("$seen")
done
[ "${counts[0]}" = 0 ] || changed "MySQL's session goes to sleep again"
[ "${counts[1]}" -ge 2 ] || changed "MariaDB's session sleeps on"
