#!/usr/bin/env bash
# sync_binlog=10 of MariaDB syncs after ten groups of commits, so what a crash can lose grows with the connections.
#
# Expected: the server's own help says "after every #th event", so at most nine events are not yet on disk.
# What happens: MYSQL_BIN_LOG::flush_and_sync() (sql/log.cc) counts its calls, and the leader of a group calls it once for all
# commits of the group. One connection has a sync each ten commits, and each commit has several events; with groups of eight it is
# one each eighty.
# Version: MariaDB 10.11.19; strace counts the system calls.
# Why it matters: "what would sync_binlog=10 bring" is measured with many connections and gains their number as well, not only
# ten times fewer syncs; and the loss that was accepted for it is as many times larger.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

CONNECTIONS=8
COMMITS=200
PERIOD=10

# Makes commits by the connection $1.
commits() {
  # shellcheck disable=SC2046 # A word for each commit.
  sql "$run" "$(printf "UPDATE d.t SET v = v + 1 WHERE id = $1;%.0s" $(seq "$COMMITS"))"
}

# Prints how many commits a sync of the binary log has, by $1 connections at once.
commits_a_sync() {
  local strace connection clients=() syncs
  strace -f -qq -y -o "$work/calls-$1" -e trace=fdatasync -p "$(cat "$run/pid")" &
  strace=$!
  sleep 1
  for connection in $(seq "$1"); do
    commits "$connection" &
    clients+=("$!")
  done
  wait "${clients[@]}"
  kill "$strace"
  wait "$strace" || true
  syncs=$(grep -c 'fdatasync([0-9]*<[^>]*/binlog\.' "$work/calls-$1")
  echo $(($1 * COMMITS / syncs))
}

fetch_mariadb
run=$work/run-mariadb
start_mariadb --log-bin=binlog --sync-binlog="$PERIOD"
sql "$run" "CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB;
  INSERT INTO d.t SELECT seq, 0 FROM d.seq_1_to_$CONNECTIONS"
one=$(commits_a_sync 1)
# Groups of all connections, as they form by themselves on a slower disk.
sql "$run" "SET GLOBAL binlog_commit_wait_usec = 20000; SET GLOBAL binlog_commit_wait_count = $CONNECTIONS"
many=$(commits_a_sync "$CONNECTIONS")
printf 'MariaDB %s, sync_binlog=%s: commits a sync: %s by one connection, %s by %s\n' \
  "$(sql "$run" 'SELECT VERSION()')" "$PERIOD" "$one" "$many" "$CONNECTIONS"
with_libraries "$work/mariadb/usr/sbin/mariadbd" --no-defaults --verbose --help 2>/dev/null | grep -A 1 'sync-binlog=#'
[ "$one" = "$PERIOD" ] || changed "one connection has $one commits a sync"
[ "$many" -ge $((4 * PERIOD)) ] || changed "groups no longer count as one"
