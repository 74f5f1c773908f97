// Errors during a walk for last commits reach its caller, so that an incomplete result is never taken for a complete
// one.
import { setImmediate as turn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { FolderWalk } from '#adapters/git-native/last-commits/folder-walk';
import { TreeDiffs } from '#adapters/git-native/last-commits/tree-diffs';
import type { Objects } from '#adapters/git-native/objects/objects';
import { GitProcesses } from '#adapters/git-native/process/git-process';

const id = '0d000000-0000-4000-8000-000000000000';
const [tip, tree] = ['1'.repeat(40), '2'.repeat(40)];

function processes(t: Test): GitProcesses {
  const made = new GitProcesses('git');
  t.teardown(() => made.close());
  return made;
}

void t.test('a commit that cannot be read while the walk rests makes the walk fail', async (t) => {
  const location = { id, directory: t.testdir(), cacheKey: id };
  const objects = {
    header: async () => ({ oid: tree, type: 'tree', size: 0 }),
    tree: async () => ({ first: () => ({ entries: [{ name: 'a', mode: '100644', oid: tree }], truncated: false }) }),
    commit: async () => ({ oid: tip, tree, parents: [], committed: 1 }),
  } as unknown as Objects;
  let rests = 0;
  const walk = new FolderWalk({
    objects,
    diffs: new TreeDiffs({ processes: processes(t), location, deadlineMs: 60_000 }),
    graph: undefined,
    location,
    path: '',
    found: new Map(),
    answer: async () => {
      // Longer than a time slice, so that the walk rests next.
      for (const end = performance.now() + 5; performance.now() < end;);
      throw new Error('cannot be read');
    },
    known: () => undefined,
    goesOn: async () => {
      rests += 1;
      await turn();
      return true;
    },
  });
  await t.rejects(walk.from(tip), /cannot be read/);
  t.equal(rests, 1);
});

void t.test('trees are not waited for after the process that compares them has ended', async (t) => {
  // Not a repository, so git exits before it answers.
  const diffs = new TreeDiffs({
    processes: processes(t),
    location: { id, directory: t.testdir(), cacheKey: id },
    deadlineMs: 60_000,
  });
  const ended = { name: 'Internal', message: /ended before it answered/, detail: /not a git repository/ };
  await t.rejects(diffs.between(tip, tree, new Set()), ended);
  await t.rejects(diffs.between(tree, tip, new Set()), ended);
});
