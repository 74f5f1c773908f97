// The contract of `GitBackend` notices providers that break it, each in one way.
import assert from 'node:assert/strict';
import t from 'tap';
import { zeroOid, type GitBackend } from '#core/repositories/git-backend';
import { gitBackendChecks } from '#test/contracts/git-backend';
import { openBench } from '#test/contracts/git/provider';
import { makeNative } from './provider.ts';

const later = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 50));

/** How it is broken, and the check that must fail. */
const faults: readonly {
  readonly fault: string;
  readonly check: string;
  readonly broken: (good: GitBackend) => Partial<GitBackend>;
}[] = [
  {
    fault: 'a tag wins over a branch',
    check: 'a branch wins over a tag of the same name',
    broken: (good) => ({
      resolveCommit: async (id, text) =>
        (await good.resolveCommit(id, `refs/tags/${text}`)) ?? (await good.resolveCommit(id, text)),
    }),
  },
  {
    fault: 'ambiguous digits resolve',
    check: 'digits that several commits begin with resolve to nothing, a digit more may tell',
    broken: (good) => ({ resolveCommit: async (id, text) => (await good.resolveCommit(id, text)) ?? 'a'.repeat(40) }),
  },
  {
    fault: 'refs in another order',
    check: 'refs come by name, annotated tags with the commit they lead to',
    broken: (good) => ({ refs: async (id, kind) => (await good.refs(id, kind)).toReversed() }),
  },
  {
    fault: 'tags of trees lead to them',
    check:
      'a tag of whatever kind leads to a commit or to none, and names come in the order of their bytes, before upkeep and after',
    broken: (good) => ({
      refs: async (id, kind) => (await good.refs(id, kind)).map((ref) => ({ ...ref, peeled: ref.peeled ?? ref.oid })),
    }),
  },
  {
    fault: 'sizes are lost',
    check: 'the root listing has every kind of entry, in git’s order, with modes and sizes',
    broken: (good) => ({
      tree: async (id, oid) => {
        const listing = await good.tree(id, oid);
        return { ...listing, entries: listing.entries.map((entry) => ({ ...entry, size: 0 })) };
      },
    }),
  },
  {
    fault: 'a folder that is cut is not told to be',
    check:
      'no text is longer than its bound, no folder is listed past its bound, and paths that are too long are left out',
    broken: (good) => ({ tree: async (id, oid) => ({ ...(await good.tree(id, oid)), truncated: false }) }),
  },
  {
    fault: 'every entry was last changed by the tip',
    check: 'the last commit of every entry of "main" is the one git log names',
    broken: (good) => ({
      lastCommits: async (id, commit, path) =>
        new Map(
          [...(await good.lastCommits(id, commit, path))].map(([name, last]) => [name, { ...last, oid: commit }]),
        ),
    }),
  },
  {
    fault: 'a blob loses its last byte',
    check: 'a blob comes byte for byte with its size; what is no blob is not found',
    broken: (good) => ({
      blob: async (id, oid) => {
        const blob = await good.blob(id, oid);
        return {
          ...blob,
          bytes: (async function* cut() {
            for await (const chunk of blob.bytes) yield chunk.subarray(0, -1);
          })(),
        };
      },
    }),
  },
  {
    fault: 'a history skips its first commit',
    check: 'a history has the commits of rev-list in its order, by path, author, time, range and page',
    broken: (good) => ({ history: async (id, query, signal) => (await good.history(id, query, signal)).slice(1) }),
  },
  {
    fault: 'renames are not found',
    check: 'a difference names every file with its lines, from a commit and from nothing',
    broken: (good) => ({
      difference: async (id, from, to) => {
        const difference = await good.difference(id, from, to);
        return {
          ...difference,
          files: difference.files.map(({ previousPath: _previousPath, ...file }) => file),
          additions: 0,
        };
      },
    }),
  },
  {
    fault: 'a patch says nothing of a missing newline',
    check: 'a patch has every kind of change as git diff has it, and applies',
    broken: (good) => ({
      patch: async (id, query, caps) => {
        const patch = await good.patch(id, query, caps);
        const without = (text: string): string => text.replaceAll(/^\\ .*\n/gm, '');
        return {
          ...patch,
          files: patch.files.map((file) => ({
            ...file,
            sections: file.sections.map((section) => ({ ...section, hunks: without(section.hunks) })),
          })),
        };
      },
    }),
  },
  {
    fault: 'every line is blamed on the tip',
    check: 'blame gives every line the commit and author that git gives it',
    broken: (good) => ({
      blame: async (id, commit, path) =>
        (await good.blame(id, commit, path))?.map((line) => ({ ...line, oid: commit })),
    }),
  },
  {
    fault: 'a write asks nobody',
    check: 'a write that is refused, comes late or is none of git’s leaves the branch where it was, and nothing behind',
    broken: (good) => ({
      write: (id, change, hooks) =>
        good.write(id, change, {
          ...hooks,
          judge: async (updates) => updates.map(({ ref }) => ({ ref, refusal: undefined })),
        }),
    }),
  },
  {
    fault: 'refs move from any value',
    check: 'a ref moves only from its old value, and all move or none',
    broken: (good) => ({
      moveRefs: async (id, updates) => {
        const present = await good.readRefs(
          id,
          updates.map(({ ref }) => ref),
        );
        return await good.moveRefs(
          id,
          updates.map((update, index) => ({ ...update, old: present[index] ?? zeroOid })),
        );
      },
    }),
  },
  {
    fault: 'ahead is behind',
    check: 'divergence is what git counts, for heads of every kind',
    broken: (good) => ({
      divergence: async (id, base, heads) =>
        new Map(
          [...(await good.divergence(id, base, heads))].map(([head, { ahead, behind }]) => [
            head,
            { ahead: behind, behind: ahead },
          ]),
        ),
    }),
  },
  {
    fault: 'tags lose their message',
    check: 'behind refs stand commits and annotated tags, as git shows them',
    broken: (good) => ({
      tips: async (id, oids) =>
        new Map(
          [...(await good.tips(id, oids))].map(([oid, tip]) => [
            oid,
            tip.kind === 'tag' ? { ...tip, message: '' } : tip,
          ]),
        ),
    }),
  },
  {
    fault: 'nothing is removed',
    check: 'a repository exists and is listed from its making to its removal, and both can be done twice',
    broken: () => ({ remove: async () => undefined }),
  },
  {
    fault: 'nothing is pruned',
    check: 'what no ref leads to is gone after a pruning, also from what was read before, and the rest is whole',
    broken: () => ({ prune: async () => ({ remaining: false }) }),
  },
  {
    fault: 'young objects are pruned',
    check: 'what was written later stays, is told of, and goes with a later pruning',
    broken: (good) => ({ prune: (id) => good.prune(id, { before: new Date(Date.now() + 3_600_000) }) }),
  },
  {
    fault: 'nobody is asked',
    check: 'with --atomic one refused ref refuses all',
    broken: (good) => ({
      receivePack: (id, request) =>
        good.receivePack(id, {
          ...request,
          judge: async (updates) => updates.map(({ ref }) => ({ ref, refusal: undefined })),
        }),
    }),
  },
  {
    fault: 'nothing is announced',
    check: 'a push is announced before and told after, with the values of each ref',
    broken: (good) => ({
      receivePack: (id, request) => good.receivePack(id, { ...request, announced: async () => undefined }),
    }),
  },
  {
    fault: 'the client hears first',
    check: 'the client hears of its push only when it was told to us',
    broken: (good) => ({
      receivePack: (id, request) =>
        good.receivePack(id, {
          ...request,
          landed: async (updates) => void later().then(() => request.landed(updates)),
        }),
    }),
  },
  {
    fault: 'absent refs are told as deleted',
    check: 'deleting a ref that is not there tells of nothing',
    broken: (good) => ({
      receivePack: (id, request) =>
        good.receivePack(id, {
          ...request,
          announced: async (updates) => await request.landed(updates.filter((update) => update.new === zeroOid)),
        }),
    }),
  },
  {
    fault: 'version 2 is never spoken',
    check: 'an advertisement begins with its service, but for version 2, and no other header reaches git',
    broken: (good) => ({ advertise: (id, request) => good.advertise(id, { ...request, protocol: undefined }) }),
  },
];

void t.test('the contract of the git back end fails a provider where', { timeout: 120_000 }, async (suite) => {
  let broken: Partial<GitBackend> = {};
  let native: GitBackend | undefined;
  const bench = await openBench(async (root) => {
    const good = await makeNative(root);
    native = good.backend;
    const backend = new Proxy(good.backend, { get: (target, name: keyof GitBackend) => broken[name] ?? target[name] });
    return { ...good, backend };
  });
  suite.teardown(() => bench.dispose());
  for (const { fault, check, broken: breaking } of faults) {
    await suite.test(fault, async (subtest) => {
      const found = gitBackendChecks.find(({ name }) => name === check);
      if (found === undefined || native === undefined) throw new Error(`no check is named "${check}"`);
      broken = breaking(native);
      await subtest.rejects(found.run(bench), assert.AssertionError);
      broken = {};
      await subtest.resolves(found.run(bench), 'and passes when it is whole again');
    });
  }
});
