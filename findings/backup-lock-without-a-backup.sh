#!/usr/bin/env bash
# What waits behind FLUSH TABLES WITH READ LOCK waits for a "backup lock" in MariaDB, though there is no backup.
#
# Expected: the list of processes and the Performance Schema name the global read lock, as in MySQL.
# What happens: since 10.4 BACKUP STAGE and FLUSH TABLES WITH READ LOCK are one lock (MDL_key::BACKUP, sql/mdl.h), so the state is
# "Waiting for backup lock", and the lock's type is BACKUP. Only the holder's LOCK_TYPE tells which of the two it is.
# Versions: MySQL 9.7.4, MariaDB 10.11.19.
# Why it matters: who reads the state looks for a backup that runs. It is any session with a FLUSH TABLES WITH READ LOCK, and an
# alarm on "global read lock" that was made for MySQL never rings.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

# Prints the state of an INSERT that waits on the server in the directory $1, and the types of the lock that the holder has.
waits() {
  local run=$1
  sql "$run" 'CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT) ENGINE=InnoDB'
  sql "$run" 'FLUSH TABLES WITH READ LOCK; SELECT SLEEP(4)' >/dev/null &
  local holder=$!
  until sql "$run" "SELECT info FROM information_schema.processlist WHERE state = 'User sleep'" | grep -q SLEEP; do sleep 0.1; done
  sql "$run" 'INSERT INTO d.t (v) VALUES (1)' &
  sleep 1
  printf '%-24s %-30s %s\n' "$(sql "$run" 'SELECT VERSION()')" \
    "$(sql "$run" "SELECT state FROM information_schema.processlist WHERE info LIKE 'INSERT%'")" \
    "$(sql "$run" "SELECT GROUP_CONCAT(DISTINCT object_type, ' ', lock_type ORDER BY 1) FROM performance_schema.metadata_locks
      WHERE lock_status = 'GRANTED' AND object_type IN ('GLOBAL', 'COMMIT', 'BACKUP')")"
  wait "$holder" "$!"
}

fetch_mysql
fetch_mariadb
start_mysql
start_mariadb --performance-schema=ON --performance-schema-instrument='wait/lock/metadata/sql/mdl=ON'
printf '%-24s %-30s %s\n' server 'state of the INSERT' 'the lock of the holder'
for run in mysql mariadb; do waits "$work/run-$run"; done | tee "$work/waits"
grep -q 'Waiting for global read lock.*GLOBAL SHARED' "$work/waits" || changed "MySQL has another name"
grep -q 'Waiting for backup lock.*BACKUP' "$work/waits" || changed "MariaDB has another name"
