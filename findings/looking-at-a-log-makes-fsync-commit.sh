#!/usr/bin/env bash
# Since Linux 6.13 a stat() of a log makes its next write change a timestamp, and its next fsync() commit the journal.
#
# Expected: who only looks at the size or the time of a file costs its writer nothing.
# What happens: timestamps are taken from the timer tick, so of the overwrites within one tick (4 ms at 250 Hz) only the first
# changes the inode. After somebody has asked for the time, the next write gets a time in nanoseconds (multigrain timestamps,
# fs/inode.c). That makes the inode dirty again, and fsync() waits for the file system's journal for each write instead of once a
# tick. fdatasync() does not care.
# Versions: Linux 6.18 with 250 ticks a second; ext4 on a loop device in memory, so that many writes fit into a tick.
# Why it matters: a redo log is preallocated and overwritten. Where it is synced by fsync() (MySQL 8.0 does so by default), a
# monitor, backup agent or test harness that polls the file's status makes each commit write the journal: it slows what it watches,
# and only on fast disks and new kernels.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

WRITES=2000

cat >"$work/overwrite.c" <<'C'
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Overwrites sectors of the file in the first argument as often as the second says, syncs each by the third, and looks at the
   file after each if there is a fourth. */
int main(int arguments, char **argument) {
  int file = open(argument[1], O_RDWR);
  int whole = strcmp(argument[3], "fsync") == 0;
  struct stat status;
  for (int i = 0; i < atoi(argument[2]); i++) {
    if (pwrite(file, "redo", 4, 512 * (i % 100)) != 4) return 2;
    if (whole ? fsync(file) : fdatasync(file)) return 2;
    if (arguments > 4 && stat(argument[1], &status)) return 2;
  }
  return 0;
}
C

# Prints the transactions that the journal has committed.
transactions() { awk 'NR == 1 { print $1 }' /proc/fs/jbd2/"$device"-8/info; }

# Prints how many transactions the journal commits during the writes.
commits() {
  local before
  before=$(transactions)
  "$work/overwrite" "$work/ext4/log" "$WRITES" "$@"
  echo $(($(transactions) - before))
}

gcc -o "$work/overwrite" "$work/overwrite.c"
mount_new ext4
device=$(findmnt -n -o SOURCE "$work/ext4")
device=${device##*/}
dd if=/dev/zero of="$work/ext4/log" bs=1M count=1 conv=fsync status=none
fsync=$(commits fsync) looked=$(commits fsync look) data=$(commits fdatasync look)
printf 'Linux %s, %s overwrites of a preallocated file, each synced: commits of the journal\n' "$(uname -r)" "$WRITES"
printf 'fsync %s, fsync and stat %s, fdatasync and stat %s\n' "$fsync" "$looked" "$data"
[ "$looked" -ge $((WRITES * 9 / 10)) ] || changed "a write after stat() does not change the timestamp"
[ "$fsync" -lt $((WRITES / 2)) ] || changed "each fsync commits the journal"
[ "$data" -lt $((WRITES / 10)) ] || changed "fdatasync commits the journal"
