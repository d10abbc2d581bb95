// Commits in the shape of both servers' ha_commit_trans() (sql/handler.cc) and MDL_context (sql/mdl.cc).
#include <cstdio>

#define NOINLINE __attribute__((noinline))

struct MDL_request;
struct MDL_ticket;
enum enum_mdl_duration { MDL_STATEMENT, MDL_TRANSACTION };
volatile unsigned work;

struct MDL_context {
  bool acquire_lock(MDL_request *request, unsigned long timeout);
  void release_lock(MDL_ticket *ticket);
  void release_lock(enum_mdl_duration duration, MDL_ticket *ticket);
};

NOINLINE bool MDL_context::acquire_lock(MDL_request *request, unsigned long timeout) {
  work = work + static_cast<unsigned>(timeout);
  return request == nullptr;
}
NOINLINE void MDL_context::release_lock(enum_mdl_duration duration, MDL_ticket *ticket) {
  work = work + duration + (ticket != nullptr);
}
void MDL_context::release_lock(MDL_ticket *ticket) { release_lock(MDL_TRANSACTION, ticket); }

struct THD {
  MDL_context context;
  MDL_request *request;
  MDL_ticket *ticket;
  bool changes;
  bool fails;
  bool waits;
};

// MariaDB's group commit (sql/log.cc).
struct group_commit_entry {
  THD *thd;
};

struct MYSQL_BIN_LOG {
  void write_transaction_or_stmt(group_commit_entry *entry, unsigned long commit_id);
  void trx_group_commit_leader(group_commit_entry *leader);
  int queue_for_group_commit(group_commit_entry *entry, int leader_stage);
};

__attribute__((noinline, noclone, used)) void MYSQL_BIN_LOG::write_transaction_or_stmt(group_commit_entry *entry, unsigned long commit_id) {
  work = work + commit_id + (entry != nullptr);
}
NOINLINE void MYSQL_BIN_LOG::trx_group_commit_leader(group_commit_entry *leader) {
  write_transaction_or_stmt(leader, work);
  work = work + 1;
}
// Its second argument is always the same, so that link-time optimisation makes a clone without it.
NOINLINE int MYSQL_BIN_LOG::queue_for_group_commit(group_commit_entry *entry, int leader_stage) {
  work = work + leader_stage;
  return entry->thd != nullptr;
}

MYSQL_BIN_LOG binlog;

// MariaDB's wait for the redo log after the commit (sql/sql_class.cc).
extern "C" __attribute__((noinline, noclone, used)) void thd_increment_pending_ops(THD *thd) { work = work + (thd != nullptr); }
extern "C" __attribute__((noinline, noclone, used)) void thd_decrement_pending_ops(THD *thd) { work = work - (thd != nullptr); }

NOINLINE int write_log(THD *thd) {
  if (thd->waits) thd_increment_pending_ops(thd);
  group_commit_entry entry{thd};
  if (binlog.queue_for_group_commit(&entry, 7)) binlog.trx_group_commit_leader(&entry);
  return thd->fails;
}
NOINLINE __attribute__((cold)) void report_failure() { work = work + 2; }

// With APART, the lock is released in a function of its own.
#ifdef APART
NOINLINE static void release(THD *thd) {
  thd->context.release_lock(thd->ticket);
  work = work + 1;
}
#else
static void release(THD *thd) { thd->context.release_lock(thd->ticket); }
#endif

// With INLINED, link-time optimisation may move the whole function into its caller.
#ifndef INLINED
NOINLINE
#endif
int ha_commit_trans(THD *thd, bool all, bool ignore_global_read_lock) {
  if (!thd->changes) return 0;
  if (!ignore_global_read_lock && thd->context.acquire_lock(thd->request, all ? 3 : 4)) return 1;
  if (write_log(thd)) {
    report_failure();
    release(thd);
    work = work + 3;
    return 1;
  }
  release(thd);
  work = work + 4;
  return 0;
}

// At one address in all processes, if the program is linked so.
THD thd;

// Each line on its input is one statement: a commit, one that fails, one that waits for the redo log, the end of that wait, or
// one that changes nothing.
int main() {
  char line[16];
  thd.request = reinterpret_cast<MDL_request *>(&thd);
  thd.ticket = reinterpret_cast<MDL_ticket *>(&thd);
  while (fgets(line, sizeof line, stdin)) {
    thd.changes = line[0] != 'r';
    thd.fails = line[0] == 'f';
    thd.waits = line[0] == 'w';
    if (line[0] == 'd') {
      thd_decrement_pending_ops(&thd);
      thd.changes = false;
    }
    printf("%d\n", ha_commit_trans(&thd, line[1] == 'a', false));
    fflush(stdout);
  }
}
