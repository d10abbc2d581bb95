#!/usr/bin/env bash
# SHOW GLOBAL STATUS and SHOW GLOBAL VARIABLES obey sql_select_limit, and say nothing about the rows that they leave out.
#
# Expected: sql_select_limit is a limit on the rows of SELECT. A tool that reads the server's counters with SHOW GLOBAL STATUS
# gets all of them.
# What happens: with a global sql_select_limit of N, SHOW GLOBAL STATUS and SHOW GLOBAL VARIABLES answer with their first N rows,
# without an error, a warning or a note. SHOW BINARY LOGS is not cut off.
# Versions: MySQL 9.7.4, MariaDB 10.11.19.
# Why it matters: Binlog_cache_use is there and Innodb_os_log_written is not. Whoever takes a counter that is missing for 0
# computes that the redo log costs nothing. SET SESSION sql_select_limit = DEFAULT
# does not help: the default is the global value. Only a number does.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

LIMIT=3

# Prints what the server in the directory $1 answers, and checks it.
look() {
  local run=$1 table=$2 whole cut reset number sums logs
  printf '\n%s\n' "$(sql "$run" 'SELECT VERSION()')"
  whole=$(sql "$run" 'SHOW GLOBAL STATUS' | wc -l)
  sql "$run" "SET GLOBAL sql_select_limit = $LIMIT"
  cut=$(sql "$run" 'SHOW GLOBAL STATUS; SHOW COUNT(*) WARNINGS')
  reset=$(sql "$run" 'SET SESSION sql_select_limit = DEFAULT; SHOW GLOBAL STATUS' | wc -l)
  number=$(sql "$run" 'SET SESSION sql_select_limit = 18446744073709551615; SHOW GLOBAL STATUS' | wc -l)
  sums=$(sql "$run" "SELECT COUNT(*) FROM $table")
  printf 'rows without a limit: %s\nwith sql_select_limit=%s, and the number of warnings:\n%s\n' "$whole" "$LIMIT" "$cut"
  printf 'SHOW GLOBAL VARIABLES: %s rows\n' "$(sql "$run" 'SHOW GLOBAL VARIABLES' | wc -l)"
  printf 'after SET SESSION sql_select_limit = DEFAULT: %s rows; = 18446744073709551615: %s rows\n' "$reset" "$number"
  printf 'rows that COUNT(*) finds in %s: %s\n' "$table" "$sums"
  logs=$(sql "$run" 'FLUSH BINARY LOGS; FLUSH BINARY LOGS; FLUSH BINARY LOGS; FLUSH BINARY LOGS; SHOW BINARY LOGS' | wc -l)
  printf 'SHOW BINARY LOGS, of five files at least: %s rows\n' "$logs"
  [ "$logs" -ge 5 ] || changed "SHOW BINARY LOGS has $logs rows"
  [ "$(wc -l <<<"$cut")" = $((LIMIT + 1)) ] || changed "SHOW GLOBAL STATUS has $(wc -l <<<"$cut") rows"
  [ "$(tail -n 1 <<<"$cut")" = 0 ] || changed "there is a warning"
  [ "$reset" = "$LIMIT" ] || changed "DEFAULT is no longer the global value"
  if [ "$number" -le 100 ] || [ "$sums" -le 100 ]; then changed "a number does not help"; fi
}

fetch_mysql
fetch_mariadb
start_mysql
start_mariadb --log-bin=binlog
look "$work/run-mysql" performance_schema.global_status
look "$work/run-mariadb" information_schema.global_status
