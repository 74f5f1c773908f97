// The contract suite of `GitBackend` finds each mutant.
import assert from 'node:assert/strict';
import t from 'tap';
import { zeroOid, type GitBackend } from '#core/repositories/git/git-backend';
import { gitBackendChecks } from '#test/contracts/git-backend';
import { openBench } from '#test/contracts/git/provider';
import { makeNative } from '../provider.ts';

const later = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 50));

/** The planted fault, and the check that must fail. */
const faults: readonly {
  readonly fault: string;
  readonly check: string;
  readonly broken: (good: GitBackend) => Partial<GitBackend>;
}[] = [
  {
    fault: 'a tag wins over a branch',
    check: 'a branch has precedence over a tag of the same name',
    broken: (good) => ({
      resolveCommit: async (id, text) =>
        (await good.resolveCommit(id, `refs/tags/${text}`)) ?? (await good.resolveCommit(id, text)),
    }),
  },
  {
    fault: 'ambiguous digits resolve',
    check: 'an ambiguous abbreviated oid resolves to undefined, a longer one to its commit',
    broken: (good) => ({ resolveCommit: async (id, text) => (await good.resolveCommit(id, text)) ?? 'a'.repeat(40) }),
  },
  {
    fault: 'refs in another order',
    check: 'refs are sorted by name, and annotated tags have the commit they point to',
    broken: (good) => ({ refs: async (id, kind) => (await good.refs(id, kind)).toReversed() }),
  },
  {
    fault: 'a tag without a commit is listed as its own commit',
    check: 'a tag of any kind has its commit or undefined, and names are sorted by bytes, before and after maintenance',
    broken: (good) => ({
      refs: async (id, kind) => (await good.refs(id, kind)).map((ref) => ({ ...ref, peeled: ref.peeled ?? ref.oid })),
    }),
  },
  {
    fault: 'sizes are lost',
    check: 'the root listing has every kind of entry in the order of git, with modes and sizes',
    broken: (good) => ({
      tree: async (id, oid) => {
        const listing = await good.tree(id, oid);
        return { ...listing, entries: listing.entries.map((entry) => ({ ...entry, size: 0 })) };
      },
    }),
  },
  {
    fault: 'a truncated folder is not marked',
    check:
      'no text is longer than its bound, no folder is listed past its bound, and paths that are too long are left out',
    broken: (good) => ({ tree: async (id, oid) => ({ ...(await good.tree(id, oid)), truncated: false }) }),
  },
  {
    fault: 'the tip is the last commit of every entry',
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
    check: 'a blob has its exact bytes and size; an oid that is not a blob is NotFound',
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
    check: 'a difference lists every file with its line counts, from a commit and from the empty tree',
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
    fault: 'a patch omits a missing newline at the end',
    check: 'a patch has every kind of change as in git diff, and applies',
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
    check: 'blame gives every line the same commit and author as git',
    broken: (good) => ({
      blame: async (id, commit, path) =>
        (await good.blame(id, commit, path))?.map((line) => ({ ...line, oid: commit })),
    }),
  },
  {
    fault: 'a write is not judged',
    check: 'a write that is refused, stale or invalid for git leaves the branch unchanged and nothing behind',
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
    check: 'a ref moves only from its expected old value, and all refs move or none',
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
    check: 'divergence equals that of git, for heads of every kind',
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
    check: 'tips returns commits and annotated tags as git shows them',
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
    check: 'a repository exists and is listed between creation and removal, and both can be repeated',
    broken: () => ({ remove: async () => undefined }),
  },
  {
    fault: 'nothing is pruned',
    check: 'a pruning removes unreachable objects, also from caches, and keeps all others',
    broken: () => ({ prune: async () => ({ remaining: false }) }),
  },
  {
    fault: 'young objects are pruned',
    check: 'objects written after the cutoff remain, are reported, and are removed by a later pruning',
    broken: (good) => ({ prune: (id) => good.prune(id, { before: new Date(Date.now() + 3_600_000) }) }),
  },
  {
    fault: 'a push is not judged',
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
    check: 'a push is announced before and reported after, with the values of each ref',
    broken: (good) => ({
      receivePack: (id, request) => good.receivePack(id, { ...request, announced: async () => undefined }),
    }),
  },
  {
    fault: 'the client gets its answer before `landed` is called',
    check: 'the client receives ok only after `landed` has resolved',
    broken: (good) => ({
      receivePack: (id, request) =>
        good.receivePack(id, {
          ...request,
          landed: async (updates) => void later().then(() => request.landed(updates)),
        }),
    }),
  },
  {
    fault: 'a deletion of a missing ref is reported',
    check: 'deleting a ref that does not exist does not call `landed`',
    broken: (good) => ({
      receivePack: (id, request) =>
        good.receivePack(id, {
          ...request,
          announced: async (updates) => await request.landed(updates.filter((update) => update.new === zeroOid)),
        }),
    }),
  },
  {
    fault: 'protocol version 2 is not supported',
    check: 'an advertisement begins with its service unless the version is 2, and no other header reaches git',
    broken: (good) => ({ advertise: (id, request) => good.advertise(id, { ...request, protocol: undefined }) }),
  },
];

void t.test('the contract suite of the git back end fails a provider when', { timeout: 120_000 }, async (suite) => {
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
      await subtest.resolves(found.run(bench), 'passes again without the fault');
    });
  }
});
