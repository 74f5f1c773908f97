// Checks of clones and fetches by the stock git client.
import assert from 'node:assert/strict';
import type { Check } from '../checks.ts';
import { bytesOf, client, commitFile, fresh, never, newId, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

/** The path of a client folder that does not exist yet. */
const at = ({ folder }: Bench): string => `${folder}/${newId()}`;

/** Oids and names of all refs below `refs/heads` and `refs/tags`. */
const refsOf = async (folder: string): Promise<string> =>
  await must(folder, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags']);

export const fetchChecks: readonly Check<Bench>[] = [
  ...['0', '1', '2'].map((version): Check<Bench> => ({
    name: `a mirror by protocol version ${version} has the same refs and passes fsck`,
    async run(bench) {
      const folder = at(bench);
      bench.server.protocols.clear();
      await must(bench.folder, [
        '-c',
        `protocol.version=${version}`,
        'clone',
        '-q',
        '--mirror',
        bench.server.url(bench.filled),
        folder,
      ]);
      assert.equal(await refsOf(folder), await refsOf(bench.source));
      assert.equal((await git(folder, ['fsck', '--full'])).code, 0);
      assert.deepEqual([...bench.server.protocols], [version === '0' ? 'none' : `version=${version}`]);
    },
  })),
  {
    name: 'the checkout of a clone equals what was pushed, including unusual names',
    async run(bench) {
      const folder = at(bench);
      await must(bench.folder, ['clone', '-q', bench.server.url(bench.filled), folder]);
      assert.equal(await must(folder, ['status', '--porcelain', '--ignore-submodules']), '');
      assert.equal(await must(folder, ['rev-parse', 'HEAD']), await must(bench.source, ['rev-parse', 'main']));
    },
  },
  {
    name: 'a shallow clone has one commit and can be deepened to the full history',
    async run(bench) {
      const folder = at(bench);
      await must(bench.folder, ['clone', '-q', '--depth=1', bench.server.url(bench.filled), folder]);
      assert.equal(await must(folder, ['rev-list', '--count', 'HEAD']), '1');
      await must(folder, ['fetch', '-q', '--deepen=2']);
      assert.ok(Number(await must(folder, ['rev-list', '--count', 'HEAD'])) > 2);
      await must(folder, ['fetch', '-q', '--unshallow']);
      assert.equal(
        await must(folder, ['rev-list', '--count', 'HEAD']),
        await must(bench.source, ['rev-list', '--count', 'main']),
      );
    },
  },
  {
    name: 'a clone without blobs fetches each blob when it is needed',
    async run(bench) {
      const folder = at(bench);
      await must(bench.folder, [
        'clone',
        '-q',
        '--no-checkout',
        '--filter=blob:none',
        bench.server.url(bench.filled),
        folder,
      ]);
      assert.match(await must(folder, ['rev-list', '--objects', '--missing=print', 'HEAD']), /^\?/m);
      assert.equal(await must(folder, ['show', 'HEAD:src/deep/three']), 'last');
    },
  },
  ...['tree:0', 'blob:limit=1m'].map((filter): Check<Bench> => ({
    name: `a clone with the filter ${filter} fetches missing objects when they are needed`,
    async run(bench) {
      const folder = at(bench);
      const args = ['clone', '-q', '--no-checkout', `--filter=${filter}`, bench.server.url(bench.filled), folder];
      await must(bench.folder, args);
      assert.equal(await must(folder, ['show', 'HEAD:src/deep/three']), 'last');
    },
  })),
  ...['combine:blob:none+tree:0', 'tree:1000', 'object:type=commit'].map((filter): Check<Bench> => ({
    name: `the filter ${filter}, which no partial clone needs, is refused with an error message`,
    async run(bench) {
      const args = ['clone', '--bare', `--filter=${filter}`, bench.server.url(bench.filled), at(bench)];
      const { code, stderr } = await git(bench.folder, args);
      assert.notEqual(code, 0);
      assert.match(stderr, /remote error: .*filter/);
    },
  })),
  {
    name: 'a fetch after a push transfers only the new commits',
    async run(bench) {
      const id = await fresh(bench);
      const writer = await client(bench, id, ['one', 'two']);
      await must(writer, ['push', '-q', 'origin', 'main']);
      const reader = at(bench);
      await must(bench.folder, ['clone', '-q', bench.server.url(id), reader]);
      const tip = await commitFile(writer, 'file', 'three');
      await must(writer, ['push', '-q', 'origin', 'main']);
      await must(reader, ['fetch', '-q']);
      assert.equal(await must(reader, ['rev-parse', 'origin/main']), tip);
      assert.match(await must(reader, ['count-objects', '-v']), /^in-pack: 0$|^count: \d+$/m);
    },
  },
  {
    name: 'a long negotiation that the client compresses is accepted',
    async run(bench) {
      const folder = at(bench);
      await must(bench.folder, ['clone', '-q', '--mirror', bench.source, folder]);
      // Unrelated commits, so that the client sends many `have` lines.
      await must(folder, ['fast-import', '--quiet', '--force'], {
        input: Array.from(
          { length: 400 },
          (_, mark) => `commit refs/heads/own${mark}\ncommitter A <a@b> ${1_800_000_000 + mark} +0000\ndata 1\nx\n\n`,
        ).join(''),
      });
      const id = await fresh(bench);
      const writer = await client(bench, id);
      await must(writer, ['push', '-q', 'origin', 'main']);
      bench.server.compressed = false;
      await must(folder, ['-c', 'protocol.version=0', 'fetch', '-q', bench.server.url(id), 'main']);
      assert.equal(bench.server.compressed, true);
    },
  },
  {
    name: 'protocol version 0 does not serve an object that no visible ref reaches',
    async run(bench) {
      const id = await fresh(bench);
      const folder = await client(bench, id, ['one', 'two']);
      const lost = await must(folder, ['rev-parse', 'main']);
      await must(folder, ['push', '-q', 'origin', 'main']);
      await must(folder, ['push', '-q', '-f', 'origin', 'main~1:main']);
      const reader = await client(bench, id, []);
      const { code, stderr } = await git(reader, ['-c', 'protocol.version=0', 'fetch', 'origin', lost]);
      assert.notEqual(code, 0);
      assert.match(stderr, /unadvertised object|not our ref/);
    },
  },
  {
    name: 'an empty repository can be cloned by every protocol version',
    async run(bench) {
      const id = await fresh(bench);
      for (const version of ['0', '2'])
        await must(bench.folder, ['-c', `protocol.version=${version}`, 'clone', '-q', bench.server.url(id), at(bench)]);
    },
  },
  {
    name: 'an advertisement begins with its service unless the version is 2, and no other header reaches git',
    async run({ backend, filled }) {
      const begin = async (
        service: 'git-upload-pack' | 'git-receive-pack',
        protocol: string | undefined,
      ): Promise<string> =>
        (await bytesOf(await backend.advertise(filled, { service, protocol, signal: never })))
          .toString('latin1')
          .slice(0, 120);
      assert.match(
        await begin('git-upload-pack', undefined),
        /^001e# service=git-upload-pack\n0000[0-9a-f]{4}[0-9a-f]{40} HEAD\0/,
      );
      assert.match(await begin('git-upload-pack', 'version=2'), /^000eversion 2\n/);
      assert.match(
        await begin('git-upload-pack', 'version=2:x'),
        /^001e# service=git-upload-pack\n0000[0-9a-f]{4}[0-9a-f]{40} /,
      );
      assert.match(
        await begin('git-receive-pack', 'version=2'),
        /^001f# service=git-receive-pack\n0000[0-9a-f]{4}[0-9a-f]{40} refs\//,
      );
      const offered = (
        await bytesOf(
          await backend.advertise(filled, { service: 'git-receive-pack', protocol: undefined, signal: never }),
        )
      ).toString('latin1');
      assert.match(offered, / atomic /);
      assert.doesNotMatch(offered, /push-cert|push-options/);
    },
  },
];
