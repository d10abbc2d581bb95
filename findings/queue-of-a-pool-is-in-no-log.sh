#!/usr/bin/env bash
# A statement that waits half a second for a thread of MariaDB's pool takes less than a millisecond in the slow query log.
#
# Expected: the slow query log and the Performance Schema have the time that a statement takes, from when the server has it.
# What happens: with thread_handling=pool-of-threads a statement begins when a thread of the pool reads it. The time in the pool's
# queue is in neither. A group's threads are busy, the request lies in its socket, and only each thread_pool_stall_limit (500 ms)
# the pool looks whether the group needs another thread (threadpool_generic.cc).
# Version: MariaDB 10.11.19.
# Why it matters: what clients wait for most under load is in no figure of the server: its slow log is empty, its histograms are
# fast, and the network gets the blame.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

TURNS=5
STATEMENT='SELECT 4711'

fetch_mariadb
start_mariadb --thread-handling=pool-of-threads --thread-pool-size=1 --thread-pool-stall-limit=500 --performance-schema=ON \
  --performance-schema-instrument='statement/%=ON' --performance-schema-consumer-events-statements-current=ON \
  --performance-schema-consumer-events-statements-history-long=ON --log-output=TABLE --slow-query-log=ON --long-query-time=0
run=$work/run-mariadb

# The client is connected before: a connection waits in the same queue.
coproc CLIENT { with_libraries stdbuf -oL "$work/mariadb/usr/bin/mariadb" --no-defaults -N -B --unbuffered -u root -S "$run/sock"; }
# A subshell does not have the coprocess's own descriptors.
exec {to}>&"${CLIENT[1]}" {from}<&"${CLIENT[0]}"
ask() {
  printf '%s;\n' "$STATEMENT" >&"$to"
  read -r -u "$from" _
}
ask
sql "$run" 'TRUNCATE mysql.slow_log; TRUNCATE performance_schema.events_statements_history_long'
for _ in $(seq "$TURNS"); do
  # Some seconds on the CPU.
  sql "$run" "SELECT BENCHMARK(6000000, MD5('a'))" >/dev/null &
  sleep 0.3
  start=${EPOCHREALTIME/./}
  ask
  printf '%s\n' $((${EPOCHREALTIME/./} - start))
  wait "$!"
done | sort -n >"$work/client"
median() { awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }' "$1"; }
sql "$run" "SELECT TIME_TO_SEC(query_time) * 1000000 DIV 1 FROM mysql.slow_log WHERE sql_text = '$STATEMENT' ORDER BY 1" >"$work/log"
sql "$run" "SELECT timer_wait DIV 1000000 FROM performance_schema.events_statements_history_long
  WHERE sql_text = '$STATEMENT' ORDER BY 1" >"$work/schema"
printf 'MariaDB %s, median of %s statements behind one that is on the CPU\n' "$(sql "$run" 'SELECT VERSION()')" "$TURNS"
printf '%-20s %8s us\n' client "$(median "$work/client")" 'slow query log' "$(median "$work/log")" \
  'Performance Schema' "$(median "$work/schema")"
[ "$(wc -l <"$work/log")" -eq "$TURNS" ] || changed "the log has $(wc -l <"$work/log") of the statements"
[ "$(median "$work/client")" -gt 100000 ] || changed "the client waits $(median "$work/client") us"
for of in log schema; do
  [ $((20 * $(median "$work/$of"))) -lt "$(median "$work/client")" ] || changed "the queue is in the $of: $(median "$work/$of") us"
done
