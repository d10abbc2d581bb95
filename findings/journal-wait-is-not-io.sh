#!/usr/bin/env bash
# Most of an fsync of a log is no wait for I/O to Linux: the pressure of a cgroup leaves out the journal.
#
# Expected: a process that does nothing but append to a file and sync it has its waits in io.pressure of its cgroup.
# What happens: only waits for the file's own pages and for flushes that the process sends itself count. The wait for the journal's
# commit (jbd2_log_wait_commit() of ext4, xlog_wait() of XFS) is an ordinary sleep: other threads do the I/O, in another cgroup.
# Versions: Linux 6.18; ext4 and XFS on a loop device.
# Why it matters: io.pressure is what container platforms show as "stalled on I/O". A database that does nothing but wait for its
# binary log looks mostly unhindered there, and the wait of its redo log, which is preallocated, counts.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

SYNCS=300

cat >"$work/syncs.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Writes 280 bytes to the file in the first argument as often as the second says, one after the other or all at its start if there
   is a third, syncs each, and prints the microseconds of all syncs. */
int main(int arguments, char **argument) {
  static char record[280];
  int file = open(argument[1], O_WRONLY | O_CREAT, 0644);
  long ns = 0;
  for (int i = 0; i < atoi(argument[2]); i++) {
    struct timespec start, end;
    if (pwrite(file, record, sizeof record, arguments > 3 ? 0 : i * sizeof record) != sizeof record) return 2;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (fdatasync(file)) return 2;
    clock_gettime(CLOCK_MONOTONIC, &end);
    ns += (end.tv_sec - start.tv_sec) * 1000000000L + end.tv_nsec - start.tv_nsec;
  }
  printf("%ld\n", ns / 1000);
  return 0;
}
C

# Prints the microseconds that somebody in the cgroup was stalled on I/O.
stalled() { sed -n 's/^some.*total=//p' "$cgroup/io.pressure"; }

# Prints which percentage of the syncs of a file in the file system $1 is a stall on I/O, with the options in the other arguments.
percent() {
  local before us
  before=$(stalled)
  us=$(
    echo "$BASHPID" >"$cgroup/cgroup.procs"
    exec "$work/syncs" "$work/$1/log-${2:-}" "$SYNCS" "${@:2}"
  )
  echo $((($(stalled) - before) * 100 / us))
}

gcc -o "$work/syncs" "$work/syncs.c"
mkdir "$work/cgroups"
mount -t cgroup2 nodev "$work/cgroups"
mounted+=("$work/cgroups")
cgroup=$work/cgroups/finding-$$
mkdir "$cgroup"
trap 'rmdir "$cgroup" || true; clean_up' EXIT
[ -r "$cgroup/io.pressure" ] || { echo "no pressure of cgroups: boot with psi=1" >&2; exit 2; }
printf 'Linux %s, %s writes of 280 bytes, each followed by fdatasync: share of the syncs in io.pressure\n' "$(uname -r)" "$SYNCS"
for kind in ext4 xfs; do
  mount_new "$kind" "$work"
  appended=$(percent "$kind") overwritten=$(percent "$kind" overwrite)
  printf '%s: %s %% of appends, %s %% of overwrites\n' "$kind" "$appended" "$overwritten"
  [ "$appended" -lt 25 ] || changed "$kind counts the wait for the journal"
  [ "$overwritten" -gt $((2 * appended + 10)) ] || changed "$kind counts overwrites no more than appends"
done
