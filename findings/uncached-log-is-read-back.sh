#!/usr/bin/env bash
# A log that is appended to with RWF_DONTCACHE is read back from the disk: on XFS once a record, on ext4 once a block.
#
# Expected: RWF_DONTCACHE (Linux 6.14) is for data that nobody reads soon, such as a log: the same writes, and nothing stays in the
# page cache.
# What happens: a page is dropped as soon as it is written. The next record goes into the same block, which must be read first, in
# the writer's own write(). XFS drops it again after each sync, and reads it for each record. ext4 drops it once, reads it once, and
# then keeps it, so the log is in the cache after all. With records of whole blocks both do what the flag says.
# Versions: Linux 6.18; ext4 and XFS on a loop device in memory.
# Why it matters: a commit of 280 bytes that waits for a read before its fsync is slower than without the flag, and neither the
# time of the fsync nor that of the server's other writes shows it.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

RECORDS=2000

cat >"$work/append.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#define DONTCACHE 0x80 /* RWF_DONTCACHE, include/uapi/linux/fs.h */

/* Appends to the file in the first argument as many records as the second says, of as many bytes as the third, with the flag if
   there is a fourth, and syncs each. */
int main(int arguments, char **argument) {
  static char bytes[4096];
  struct iovec record = {bytes, atoi(argument[3])};
  int file = open(argument[1], O_WRONLY | O_CREAT | O_APPEND, 0644);
  for (int i = 0; i < atoi(argument[2]); i++) {
    if (pwritev2(file, &record, 1, -1, arguments > 4 ? DONTCACHE : 0) != (ssize_t)record.iov_len) return 2;
    if (fdatasync(file)) return 2;
  }
  return 0;
}
C

# Appends records of $2 bytes to a new file in the file system $1, with the options in the other arguments. Prints the reads of the
# device and the percentage of the file that is in the page cache.
append() {
  local device before log=$work/$1/log-$2-${3:-} resident
  device=/sys/block/$(basename "$(findmnt -n -o SOURCE "$work/$1")")/stat
  before=$(awk '{ print $1 }' "$device")
  "$work/append" "$log" "$RECORDS" "${@:2}"
  resident=$(fincore --noheadings --bytes --output RES "$log")
  echo $(($(awk '{ print $1 }' "$device") - before)) $((resident * 100 / $(stat -c %s "$log")))
}

gcc -o "$work/append" "$work/append.c"
printf 'Linux %s, %s records, each followed by fdatasync: reads of the device, and what is in the cache\n' "$(uname -r)" "$RECORDS"
for kind in ext4 xfs; do
  mount_new "$kind"
  read -r plain _ < <(append "$kind" 280)
  read -r reads cached < <(append "$kind" 280 uncached)
  read -r whole none < <(append "$kind" 4096 uncached)
  printf '%s: 280 bytes %s; with RWF_DONTCACHE %s, %s %%; of 4096 bytes %s, %s %%\n' \
    "$kind" "$plain" "$reads" "$cached" "$whole" "$none"
  [ "$plain" -lt 50 ] || changed "$kind reads without the flag"
  [ "$whole" -lt 50 ] || changed "$kind reads with whole blocks"
  [ "$none" -lt 10 ] || changed "$kind keeps whole blocks"
  case $kind in
    # The records fill 137 blocks.
    ext4) if [ "$reads" -lt 100 ] || [ "$cached" -lt 90 ]; then changed "ext4 reads or keeps other blocks"; fi ;;
    xfs) if [ "$reads" -lt $((RECORDS * 9 / 10)) ] || [ "$cached" -gt 10 ]; then changed "XFS reads or keeps other blocks"; fi ;;
  esac
done
