// Checks of the life cycle of a repository: created, listed, maintained, removed.
import assert from 'node:assert/strict';
import type { Check } from '../checks.ts';
import { client, commitFile, fresh, newId, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

export const lifeChecks: readonly Check<Bench>[] = [
  {
    name: 'a repository exists and is listed between creation and removal, and both can be repeated',
    async run({ backend }) {
      const id = newId();
      assert.equal(await backend.exists(id), false);
      await Promise.all([
        backend.create(id, { defaultBranch: 'trunk' }),
        backend.create(id, { defaultBranch: 'trunk' }),
      ]);
      await backend.create(id, { defaultBranch: 'trunk' });
      assert.equal(await backend.exists(id), true);
      assert.ok((await backend.list()).includes(id));
      await Promise.all([backend.remove(id), backend.remove(id)]);
      await backend.remove(id);
      assert.equal(await backend.exists(id), false);
      assert.ok(!(await backend.list()).includes(id));
    },
  },
  {
    name: 'a repository created again under the id of a removed one is empty',
    async run(bench) {
      const id = await fresh(bench);
      const folder = await client(bench, id);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const commit = await must(folder, ['rev-parse', 'main']);
      assert.notEqual(await bench.backend.entry(id, commit, 'file'), undefined);
      await bench.backend.remove(id);
      await bench.backend.create(id, { defaultBranch: 'main' });
      assert.equal(await bench.backend.resolveCommit(id, 'main'), undefined);
      assert.equal(await bench.backend.entry(id, commit, 'file'), undefined);
      assert.equal((await bench.backend.lastCommits(id, commit, '')).size, 0);
    },
  },
  {
    name: 'a client of an empty repository gets the default branch chosen at creation',
    async run(bench) {
      const id = newId();
      await bench.backend.create(id, { defaultBranch: 'trunk/ä' });
      await must(bench.folder, ['clone', '-q', bench.server.url(id), id]);
      assert.equal(await must(`${bench.folder}/${id}`, ['symbolic-ref', 'HEAD']), 'refs/heads/trunk/ä');
      await assert.rejects(bench.backend.create(newId(), { defaultBranch: '-x' }), { name: 'ValidationFailed' });
    },
  },
  {
    name: 'an id that could lead outside the root is refused',
    async run({ backend }) {
      for (const id of [
        '',
        '..',
        '../../etc',
        'a/b',
        'ABCDEF00-0000-4000-8000-000000000000',
        `${newId()}\0`,
        `${newId()}/..`,
      ]) {
        await assert.rejects(
          backend.create(id, { defaultBranch: 'main' }),
          { name: 'ValidationFailed' },
          JSON.stringify(id),
        );
        await assert.rejects(backend.remove(id), { name: 'ValidationFailed' }, JSON.stringify(id));
      }
    },
  },
  {
    name: 'maintenance changes no ref and no object, and reads continue during it',
    async run(bench) {
      const { backend, server } = bench;
      const id = await fresh(bench);
      const folder = await client(bench, id, []);
      const turns = Array.from({ length: 23 }, (_, turn) => turn);
      await must(folder, ['fast-import', '--quiet'], {
        input: turns
          .map(
            (turn) =>
              `commit refs/heads/main\nmark :${turn + 1}\ncommitter A <a@b> ${1_700_000_000 + turn} +0000\ndata 1\nx\n${turn === 0 ? '' : `from :${turn}\n`}M 100644 inline file\ndata 2\n${turn + 10}\n`,
          )
          .join(''),
      });
      // Enough pushes and refs that maintenance repacks them.
      for (const turn of turns)
        await must(folder, [
          'push',
          '-q',
          'origin',
          ...['heads/a', 'heads/b', 'tags/t'].map((name) => `main~${22 - turn}:refs/${name}${turn}`),
          'main~22:refs/heads/first',
        ]);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const before = await backend.refs(id, 'all');
      const tip = await must(folder, ['rev-parse', 'main']);
      const [, , entry] = await Promise.all([
        backend.maintain(id),
        backend.maintain(id),
        backend.entry(id, tip, 'file'),
      ]);
      assert.equal(entry?.size, 2);
      assert.deepEqual(await backend.refs(id, 'all'), before);
      assert.deepEqual(await backend.readRefs(id, ['refs/heads/b3', 'refs/heads/main']), [
        before.find(({ name }) => name === 'refs/heads/b3')?.oid,
        tip,
      ]);
      await must(bench.folder, ['clone', '-q', '--mirror', server.url(id), `${id}.git`]);
      assert.equal((await git(`${bench.folder}/${id}.git`, ['fsck', '--full', '--strict'])).code, 0);
      await must(folder, ['push', '-q', 'origin', ':b3']);
      assert.equal(await backend.resolveCommit(id, 'b3'), undefined);
    },
  },
  {
    name: 'a listing after a push returns the new commit and the old ones',
    async run(bench) {
      const id = await fresh(bench);
      const folder = await client(bench, id);
      const first = await commitFile(folder, 'kept', 'kept');
      await must(folder, ['push', '-q', 'origin', 'main']);
      await bench.backend.maintain(id);
      const second = await commitFile(folder, 'file', 'two');
      await must(folder, ['push', '-q', 'origin', 'main']);
      const commits = await bench.backend.lastCommits(id, second, '');
      assert.deepEqual(
        new Map([...commits].map(([name, { oid }]) => [name, oid])),
        new Map([
          ['file', second],
          ['kept', first],
        ]),
      );
    },
  },
];
