#!/usr/bin/env bash
# In musl, sched_setscheduler() and sched_getscheduler() fail on every Linux; the functions of threads beside them work.
#
# Expected: a program that is linked with musl, because it then runs on any Linux, gets the scheduling policy that it asks for.
# What happens: sched_setscheduler() and sched_getscheduler() return -1 with ENOSYS, whatever the kernel and the rights, and make
# no system call. The system calls themselves work in the same process.
# Version: musl 1.2.3 (Debian 1.2.3-1); glibc of this machine for comparison.
# Why it matters: the threads of a measuring program give way to the server by SCHED_BATCH or SCHED_IDLE. As a static program they
# keep SCHED_OTHER if nobody looks at the result, and what logging costs on a busy machine is measured together with them.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

MUSL=1.2.3-1

cat >"$work/policy.c" <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  struct sched_param none = {0};
  int batch = 3; /* SCHED_BATCH, include/uapi/linux/sched.h */
  int set = sched_setscheduler(0, batch, &none);
  int set_error = set ? errno : 0;
  int got = sched_getscheduler(0);
  int get_error = got < 0 ? errno : 0;
  long set_by_kernel = syscall(SYS_sched_setscheduler, 0, batch, &none);
  long got_by_kernel = syscall(SYS_sched_getscheduler, 0);
  printf("sched_setscheduler %d (%s), sched_getscheduler %d (%s), by system calls %ld and %ld\n", set,
         set_error ? strerror(set_error) : "done", got, get_error ? strerror(get_error) : "done", set_by_kernel, got_by_kernel);
  return 0;
}
C

prepare_apt "$work/apt" "bookworm main"
private_apt "$work/apt" --yes --download-only install "musl=$MUSL" "musl-dev=$MUSL" || exit 2
mkdir "$work/musl"
unpack_downloaded "$work/apt" "$work/musl"
musl=$work/musl/usr
gcc -o "$work/with-glibc" "$work/policy.c"
gcc -static -nostdinc -nostdlib -isystem "$musl/include/x86_64-linux-musl" -o "$work/with-musl" \
  "$musl"/lib/x86_64-linux-musl/{crt1.o,crti.o} "$work/policy.c" "$musl/lib/x86_64-linux-musl/libc.a" \
  "$(gcc -print-libgcc-file-name)" "$musl/lib/x86_64-linux-musl/crtn.o"

glibc=$("$work/with-glibc")
static=$("$work/with-musl")
printf 'glibc %s: %s\nmusl %s: %s\n' "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" "$glibc" "$MUSL" "$static"
[ "$glibc" = "sched_setscheduler 0 (done), sched_getscheduler 3 (done), by system calls 0 and 3" ] || changed "glibc"
[[ "$static" == "sched_setscheduler -1 (Function not implemented), sched_getscheduler -1 (Function not implemented), by system calls 0 and 3" ]] ||
  changed "musl"
