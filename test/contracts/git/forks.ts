// Checks of forks. A fork is a repository with a copy of the branches and tags of its source, and of all objects that
// they reach. It shares no objects with the source.
import assert from 'node:assert/strict';
import { zeroOid } from '#core/repositories/git/git-backend';
import type { Check } from '../checks.ts';
import { client, commitFile, fresh, never, newId, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

export const forkChecks: readonly Check<Bench>[] = [
  {
    name: 'a fork has every branch and tag of its source and its default branch, and passes fsck',
    async run(bench) {
      const { backend, filled, server } = bench;
      const fork = newId();
      await backend.fork(filled, fork, { defaultBranch: 'main', signal: never });
      assert.deepEqual(await backend.refs(fork, 'branches'), await backend.refs(filled, 'branches'));
      assert.deepEqual(await backend.refs(fork, 'tags'), await backend.refs(filled, 'tags'));
      assert.equal(await backend.resolveCommit(fork, 'HEAD'), await backend.resolveCommit(filled, 'main'));
      await must(bench.folder, ['clone', '-q', '--mirror', server.url(fork), `${fork}.git`]);
      assert.equal((await git(`${bench.folder}/${fork}.git`, ['fsck', '--full'])).code, 0);
    },
  },
  {
    name: 'objects that no branch or tag reaches are not copied',
    async run(bench) {
      const { backend } = bench;
      const source = await fresh(bench);
      const folder = await client(bench, source);
      const kept = await must(folder, ['rev-parse', 'HEAD']);
      await must(folder, ['push', '-q', 'origin', 'main']);
      await must(folder, ['checkout', '-q', '-b', 'dropped']);
      const dropped = await commitFile(folder, 'secret', 'secret');
      await must(folder, ['push', '-q', 'origin', 'dropped', 'dropped:refs/notes/kept']);
      await must(folder, ['push', '-q', 'origin', ':dropped']);
      assert.notEqual(await backend.entry(source, dropped, 'secret'), undefined, 'the source still has it');
      const fork = newId();
      await backend.fork(source, fork, { defaultBranch: 'main', signal: never });
      assert.deepEqual(await backend.refs(fork, 'all'), [{ name: 'refs/heads/main', oid: kept }]);
      assert.equal(await backend.resolveCommit(fork, dropped), undefined);
      assert.equal(await backend.entry(fork, dropped, 'secret'), undefined);
    },
  },
  {
    name: 'a fork remains after its source is removed, and neither sees later pushes to the other',
    async run(bench) {
      const { backend, server } = bench;
      const source = await fresh(bench);
      const folder = await client(bench, source);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const fork = newId();
      await backend.fork(source, fork, { defaultBranch: 'main', signal: never });
      const later = await commitFile(folder, 'later', 'later');
      await must(folder, ['push', '-q', server.url(fork), 'main']);
      assert.equal(await backend.resolveCommit(source, later), undefined);
      await backend.remove(source);
      await backend.maintain(fork);
      assert.equal(await backend.resolveCommit(fork, 'main'), later);
      assert.equal((await backend.entry(fork, later, 'file'))?.type, 'file');
    },
  },
  {
    name: 'a fork of an empty repository is empty, and forking an unknown repository is NotFound',
    async run(bench) {
      const { backend } = bench;
      const fork = newId();
      await backend.fork(await fresh(bench), fork, { defaultBranch: 'trunk', signal: never });
      assert.deepEqual(await backend.readRefs(fork, ['refs/heads/trunk']), [zeroOid]);
      await assert.rejects(backend.fork(newId(), newId(), { defaultBranch: 'main', signal: never }), {
        name: 'NotFound',
      });
    },
  },
  {
    name: 'a fork with an aborted signal rejects and leaves no temporary files',
    async run(bench) {
      const gone = AbortSignal.abort(new Error('gone'));
      const fork = newId();
      await assert.rejects(bench.backend.fork(bench.filled, fork, { defaultBranch: 'main', signal: gone }), {
        message: 'gone',
      });
      await bench.backend.remove(fork);
      assert.deepEqual(await bench.traces(), []);
    },
  },
];
