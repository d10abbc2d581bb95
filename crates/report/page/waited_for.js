// @ts-check
"use strict";

/**
 * Thread that commits waited for, what it was for them, for how long they waited together, and how many did.
 * @typedef {{ tid: number, who: Set<string>, ns: number, commits: number }} WaitedFor
 */

/** Most threads that the sentence names. */
const MOST_THREADS = 3;

/**
 * Returns the threads that commits waited for, without their own, that of the longest time first.
 * @param {Exemplar[]} commits
 * @param {Stack[]} stacks
 * @returns {WaitedFor[]}
 */
function waitedFor(commits, stacks) {
  /** @type {Map<number, WaitedFor>} */
  const found = new Map();
  for (const { tid: own, parts } of commits) {
    const seen = new Set();
    for (const [ns, tid, place] of parts) {
      if (tid === own) continue;
      const other = found.get(tid) ?? { tid, who: new Set(), ns: 0, commits: 0 };
      found.set(tid, other);
      other.ns += ns;
      other.who.add(stacks[place].who);
      if (!seen.has(tid)) other.commits += 1;
      seen.add(tid);
    }
  }
  return [...found.values()].sort((a, b) => b.ns - a.ns);
}

/**
 * Says which threads commits waited for most.
 * @param {Exemplar[]} commits
 * @param {Stack[]} stacks
 * @param {Record<string, string>} names Names of threads by their ids.
 * @returns {string}
 */
function waitedForInWords(commits, stacks, names) {
  if (commits.length === 0) return "";
  const others = waitedFor(commits, stacks);
  const sum = (/** @type {{ ns: number }[]} */ of) => of.reduce((all, { ns }) => all + ns, 0);
  const whole = sum(commits);
  const share = (/** @type {number} */ ns) => `${((100 * ns) / whole).toFixed(1)} %`;
  const these = commits.length === 1 ? "This commit" : `These ${commits.length} commits`;
  if (others.length === 0) return `${these} waited for no other thread.`;
  const named = others.slice(0, MOST_THREADS).map(({ tid, who, ns, commits: count }) => {
    const facts = [...who, count === 1 ? "1 commit" : `${count} commits`];
    return `${share(ns)} for ${threadName(tid, facts.join(", "), names)}`;
  });
  const left = others.slice(MOST_THREADS);
  const threads = left.length === 1 ? "1 more thread" : `${left.length} more threads`;
  const rest = left.length ? `, and ${share(sum(left))} for ${threads}` : "";
  return `${these} waited for other threads in ${share(sum(others))} of their time: ${named.join(", ")}${rest}.`;
}
