#!/usr/bin/env bash
# A process of the policy SCHED_IDLE takes half a CPU from a server if it was started in another session.
#
# Expected: "very low priority background jobs" (sched(7)): beside a thread that always runs, one of SCHED_IDLE has 0.3 % of the
# CPU, as its weight is 3 of 1024.
# What happens: where the kernel groups threads by session (kernel.sched_autogroup_enabled, on in Debian's kernels), weights and
# policies count within a session alone. Two sessions share the CPU equally, whatever the policies of their threads. Threads in a
# control group with the CPU controller are not grouped so.
# Version: Linux 6.18 (kernel/sched/autogroup.c, and se_is_idle() in kernel/sched/fair.c), util-linux 2.38.
# Why it matters: a tracer in one terminal beside a server that was started in another holds the server up, although it runs with
# nice 19 or SCHED_IDLE in order not to. What the same tracer costs depends on who started it. nice values of a session can be
# set in /proc/PID/autogroup.
# shellcheck source=findings/common
. "$(dirname "$0")/common"

SECONDS_LONG=3
LOOP='while :; do :; done'

# Prints the CPU time of the process $1 in ticks.
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

# Prints the share of a CPU, in percent, that a loop of SCHED_IDLE has beside a usual one in this session. The arguments start the
# loop: none, or setsid.
share() {
  local usual idle before_usual before_idle
  taskset -c 0 bash -c "$LOOP" &
  usual=$!
  "$@" taskset -c 0 chrt --idle 0 bash -c "$LOOP" &
  idle=$!
  servers+=("$usual" "$idle")
  sleep 0.5
  before_usual=$(ticks "$usual")
  before_idle=$(ticks "$idle")
  sleep "$SECONDS_LONG"
  usual=$(($(ticks "$usual") - before_usual))
  idle=$(($(ticks "$idle") - before_idle))
  kill "${servers[@]}"
  wait "${servers[@]}" 2>/dev/null || true
  servers=()
  echo $((100 * idle / (usual + idle)))
}

printf 'Linux %s, kernel.sched_autogroup_enabled=%s\n' "$(uname -r)" "$(cat /proc/sys/kernel/sched_autogroup_enabled)"
# The first process of a session has a group of its own.
same=$(share env)
other=$(share setsid)
printf 'CPU of a loop of SCHED_IDLE beside a usual loop: %d %% in the same session, %d %% in another one\n' "$same" "$other"
[ "$same" -le 5 ] || changed "SCHED_IDLE does not give way in its own session"
[ "$other" -ge 30 ] || changed "SCHED_IDLE gives way to other sessions"
