// Checks of writing a file as a commit: the commit equals the one git would make, and the update is announced, judged
// and reported like a push.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { zeroOid, type RefUpdate } from '#core/repositories/git/git-backend';
import type { FileWrite, PushHooks } from '#core/repositories/git/git-history';
import type { Check } from '../checks.ts';
import { client, fresh, never, type Bench } from './provider.ts';
import { must } from './stock-git.ts';

const ada = { name: 'Ada', email: 'ada@example.org', date: new Date(1_700_000_000_000) };
const change = (given: Partial<FileWrite>): FileWrite => ({
  ref: 'refs/heads/main',
  parent: zeroOid,
  path: 'file',
  file: { content: Buffer.from('two\n'), mode: '100644' },
  message: 'Write',
  author: ada,
  committer: ada,
  ...given,
});

function hooks(refusal?: string): PushHooks & { readonly told: (readonly [string, readonly RefUpdate[]])[] } {
  const told: (readonly [string, readonly RefUpdate[]])[] = [];
  return {
    told,
    signal: never,
    announced: async (updates) => void told.push(['announced', updates]),
    judge: async (updates) => updates.map(({ ref }) => ({ ref, refusal })),
    landed: async (updates) => void told.push(['landed', updates]),
  };
}

export const writeChecks: readonly Check<Bench>[] = [
  {
    name: 'a write makes the same commit as git, is announced before and reported after',
    async run(bench) {
      const repository = await fresh(bench);
      const folder = await client(bench, repository, ['one']);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const parent = await must(folder, ['rev-parse', 'HEAD']);
      const watched = hooks();
      const { commit, blob, refusal } = await bench.backend.write(
        repository,
        change({ parent, path: 'new/dé ep/file', message: 'Write\n\nmore' }),
        watched,
      );
      assert.equal(refusal, undefined);
      const update = { ref: 'refs/heads/main', old: parent, new: commit.oid };
      assert.deepEqual(watched.told, [
        ['announced', [update]],
        ['landed', [update]],
      ]);
      assert.deepEqual(commit, {
        oid: commit.oid,
        message: 'Write\n\nmore',
        author: ada,
        committer: ada,
        parents: [parent],
      });
      await must(folder, ['pull', '-q', '--ff-only', 'origin', 'main']);
      assert.equal(await must(folder, ['rev-parse', 'HEAD']), commit.oid);
      assert.equal(await must(folder, ['rev-parse', 'HEAD:new/dé ep/file']), blob);
      assert.equal(await must(folder, ['fsck', '--strict']), '');
      // The same commit made by git from the same parent.
      const environment = { GIT_AUTHOR_DATE: '1700000000 +0000', GIT_COMMITTER_DATE: '1700000000 +0000' };
      assert.equal(
        await must(folder, ['commit-tree', '-p', parent, '-m', 'Write\n\nmore', 'HEAD^{tree}'], { environment }),
        commit.oid,
      );
    },
  },
  {
    name: 'a write may create a branch, remove a file with the folders it leaves empty, and keeps names sorted',
    async run(bench) {
      const repository = await fresh(bench);
      let parent = zeroOid;
      for (const [path, content] of [
        ['a/b/c', 'x'],
        ['a.txt', 'x'],
        ['a-b', 'x'],
        ['a/z', 'x'],
        ['a/b/c', undefined],
      ] as const) {
        const { commit, refusal } = await bench.backend.write(
          repository,
          change({
            parent,
            path,
            file: content === undefined ? undefined : { content: Buffer.from(content), mode: '100755' },
          }),
          hooks(),
        );
        assert.equal(refusal, undefined, path);
        parent = commit.oid;
      }
      const folder = await client(bench, repository, []);
      await must(folder, ['fetch', '-q', 'origin', 'main']);
      assert.equal(
        await must(folder, ['ls-tree', '-r', '--format=%(objectmode) %(path)', 'FETCH_HEAD']),
        '100755 a-b\n100755 a.txt\n100755 a/z',
      );
      assert.equal(await must(folder, ['fsck', '--strict', '--no-dangling']), '');
    },
  },
  {
    name: 'a write may begin a branch from a commit, and does not move one that exists',
    async run(bench) {
      const repository = await fresh(bench);
      const folder = await client(bench, repository, ['one']);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const parent = await must(folder, ['rev-parse', 'HEAD']);
      const begins = change({ ref: 'refs/heads/topic', parent, old: zeroOid });
      const told = hooks();
      const { commit, refusal } = await bench.backend.write(repository, begins, told);
      assert.equal(refusal, undefined);
      assert.deepEqual(commit.parents, [parent]);
      assert.deepEqual(told.told.at(-1), ['landed', [{ ref: 'refs/heads/topic', old: zeroOid, new: commit.oid }]]);
      assert.equal(typeof (await bench.backend.write(repository, begins, hooks())).refusal, 'string');
      const refs = ['refs/heads/main', 'refs/heads/topic'];
      assert.deepEqual(await bench.backend.readRefs(repository, refs), [parent, commit.oid]);
    },
  },
  {
    name: 'a write that is refused, stale or invalid for git leaves the branch unchanged and nothing behind',
    async run(bench) {
      const repository = await fresh(bench);
      const folder = await client(bench, repository, ['one', 'two']);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const parent = await must(folder, ['rev-parse', 'HEAD']);
      const refused = hooks('not here');
      assert.equal(typeof (await bench.backend.write(repository, change({ parent }), refused)).refusal, 'string');
      const late = await bench.backend.write(
        repository,
        change({ parent: await must(folder, ['rev-parse', 'HEAD~1']) }),
        hooks(),
      );
      assert.equal(typeof late.refusal, 'string');
      const evil = change({
        parent,
        path: '.gitmodules',
        file: { content: Buffer.from('[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'), mode: '100644' },
      });
      assert.equal(typeof (await bench.backend.write(repository, evil, hooks())).refusal, 'string');
      await assert.rejects(bench.backend.write(repository, change({ parent, path: 'file/below' }), hooks()), {
        kind: 'unprocessable',
      });
      for (const path of ['.git/config', '.GIT/config', 'below/.Git/config'])
        await assert.rejects(bench.backend.write(repository, change({ parent, path }), hooks()), {
          kind: 'unprocessable',
        });
      assert.deepEqual(
        refused.told.map(([what]) => what),
        ['announced'],
      );
      assert.deepEqual(await bench.backend.readRefs(repository, ['refs/heads/main']), [parent]);
      assert.deepEqual(await bench.traces(), []);
    },
  },
  {
    name: 'a large file is written completely',
    async run(bench) {
      const repository = await fresh(bench);
      const content = Buffer.alloc(20 * 1024 * 1024, 'not to be compressed away entirely\n');
      const { blob, commit } = await bench.backend.write(
        repository,
        change({ file: { content, mode: '100644' } }),
        hooks(),
      );
      const entry = await bench.backend.entry(repository, commit.oid, 'file');
      assert.deepEqual([entry?.oid, entry?.size], [blob, content.length]);
    },
  },
];
