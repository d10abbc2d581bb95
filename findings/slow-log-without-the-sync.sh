#!/usr/bin/env bash
# Without a binary log, MariaDB's slow query log leaves out the wait for the redo log of all but one commit of a group.
#
# Expected: the Query_time of an update includes its commit, because the client gets no answer before the redo log is on disk.
# What happens: the commit that syncs the redo log waits inside its statement. Those that need the same sync, or the next, only
# leave a note for the one that syncs (trx_flush_log_if_needed(), storage/innobase/trx/trx0trx.cc), end the statement, and wait
# before the answer is sent (do_command(), sql/sql_parse.cc). The slow log ends before that.
# Version: MariaDB 10.11.19, strace, which makes each sync 200 ms longer.
# Why it matters: with eight connections three of four updates are slow for the client and fast in the log. A long_query_time of
# 0.1 misses them, the sum of Query_time misses their time, and the cost of durability looks several times smaller than it is.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

CONNECTIONS=8
UPDATES=10
SYNC_US=200000

# Prints the seconds of each update as the client of connection $1 sees it.
client() {
  local updates
  # shellcheck disable=SC2046 # A word for each update.
  updates=$(printf "UPDATE d.t SET v = v + 1 WHERE id = $1;%.0s" $(seq "$UPDATES"))
  with_libraries "$work/mariadb/usr/bin/mariadb" --no-defaults -vvv -S "$work/run-mariadb/sock" -e "$updates" |
    sed -n 's/^Query OK, 1 row affected (\([0-9.]*\) sec).*/\1/p'
}

# Prints how many of the seconds in the input there are, how many are below half a sync, and their sum.
summary() { awk -v limit="$SYNC_US" '{ sum += $1 } $1 * 1e6 < limit / 2 { short++ } END { printf "%d %d %.1f\n", NR, short, sum }'; }

fetch_mariadb
run=$work/run-mariadb
start_mariadb --skip-log-bin --innodb-flush-log-at-trx-commit=1 --slow-query-log=ON --long-query-time=0 \
  --slow-query-log-file="$run/slow.log"
sql "$run" "CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB;
  INSERT INTO d.t SELECT seq, 0 FROM d.seq_1_to_$CONNECTIONS"
strace -f -qq -o /dev/null -p "$(cat "$run/pid")" -e trace=fsync,fdatasync -e "inject=fsync,fdatasync:delay_exit=$SYNC_US" &
# Ended before the server, which syncs much when it ends.
servers=("$!" "${servers[@]}")
sleep 1
clients=()
for connection in $(seq "$CONNECTIONS"); do
  client "$connection" >"$work/client-$connection" &
  clients+=("$!")
done
wait "${clients[@]}"
read -r all short sum < <(cat "$work"/client-* | summary)
read -r logged logged_short logged_sum < <(awk '/^# Query_time:/ { time = $3 } /^UPDATE/ { print time }' "$run/slow.log" | summary)
printf 'MariaDB %s, %s connections, no binary log, each sync takes %s us longer\n' "$(sql "$run" 'SELECT VERSION()')" "$CONNECTIONS" "$SYNC_US"
printf 'clients: %s updates, %s below half a sync, sum %s s\n' "$all" "$short" "$sum"
printf 'slow log: %s updates, %s below half a sync, sum %s s\n' "$logged" "$logged_short" "$logged_sum"
[ "$all" = "$logged" ] || changed "the log has $logged of $all updates"
[ "$short" = 0 ] || changed "$short updates did not wait for a sync"
[ $((2 * logged_short)) -gt "$all" ] || changed "the log has the wait of most updates"
