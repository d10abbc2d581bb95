#!/usr/bin/env bash
# A uprobe on the first instruction of a function of Debian's MySQL costs several times as much as one four bytes further on.
#
# Expected: a uprobe on a function costs about a microsecond a call, wherever in its prologue it is.
# What happens: many functions begin with endbr64 (gcc's -fcf-protection). The kernel emulates push, but runs endbr64 out of
# line by a single step, with a second exception (arch/x86/kernel/uprobes.c). Tools that take a function's name (bpftrace, perf
# probe) put their breakpoint there.
# Versions: MySQL 9.7.4 of Debian for x86-64; Linux 6.18.
# Why it matters: with the names of functions that a commit passes, the tool costs more than much of what it measures. The
# second instruction is as good a place.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

CALLS=300000
PAIRS=5
FUNCTION=_ZN15Item_func_crc327val_intEv

# Prints the nanoseconds of one call in a query that calls the function $CALLS times.
call_ns() {
  sql "$work/run-mysql" "SET profiling = 1; SELECT BENCHMARK($CALLS, CRC32('x')); SHOW PROFILES" 2>/dev/null |
    tail -n 1 | awk -v calls="$CALLS" '{ printf "%d", $2 * 1e9 / calls }'
}

# Prints the nanoseconds of a call with an event of ftrace at the address $1. The kernel counts its hits.
with_probe() {
  printf 'p:finding/probe %s:0x%x\n' "$mysqld" "$1" >"$tracefs/uprobe_events"
  echo 1 >"$tracefs/events/finding/probe/enable"
  call_ns
  echo 0 >"$tracefs/events/finding/probe/enable"
  awk '{ print $NF }' "$tracefs/uprobe_profile" >>"$work/hits"
  : >"$tracefs/uprobe_events"
}

median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

fetch_mysql
fetch_mariadb
tracefs=$work/tracefs
mkdir "$tracefs"
mount -t tracefs nodev "$tracefs"
trap 'umount "$tracefs"; clean_up' EXIT
start_mysql

address=0x$(nm -D "$mysqld" | awk -v name="$FUNCTION" '$3 == name { print $1 }')
# The code lies at the same place in the file and in memory.
printf 'MySQL %s, Linux %s\n' "$(sql "$work/run-mysql" 'SELECT VERSION()')" "$(uname -r)"
code=$(objdump -d --no-show-raw-insn --start-address="$address" --stop-address=$((address + 5)) "$mysqld" | tail -n 2)
printf '%s\n' "$code"
[[ $code == *endbr64* && $code == *push* ]] || changed "the function begins with other instructions"
for _ in $(seq "$PAIRS"); do
  call_ns >>"$work/none"
  echo >>"$work/none"
  { with_probe "$address"; echo; } >>"$work/first"
  { with_probe $((address + 4)); echo; } >>"$work/second"
done
[ "$(sort -u "$work/hits")" = "$CALLS" ] || changed "the probes were not hit $CALLS times each"
none=$(median <"$work/none") first=$(median <"$work/first") second=$(median <"$work/second")
printf 'a call, median of %s: %s ns without a probe, %s ns with one on endbr64, %s ns with one on push\n' \
  "$PAIRS" "$none" "$first" "$second"
[ $((first - none)) -gt $((3 * (second - none))) ] || changed "the first instruction costs less than three times the second"
