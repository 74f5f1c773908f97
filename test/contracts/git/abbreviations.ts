// Checks of abbreviated oids: they name only commits to which a visible ref leads.
import assert from 'node:assert/strict';
import { broughtRefs, mergeHeadRef, zeroOid } from '#core/repositories/git/git-backend';
import type { Check } from '../checks.ts';
import { client, fresh, type Bench } from './provider.ts';
import { must } from './stock-git.ts';

export const abbreviationChecks: readonly Check<Bench>[] = [
  {
    name: 'an abbreviated oid names only what a visible ref leads to, a full one any commit',
    async run(bench) {
      const { backend } = bench;
      const repository = await fresh(bench);
      const folder = await client(bench, repository, ['one']);
      const named = async (revision: string) => await backend.resolveCommit(repository, revision);
      const commit = await must(folder, ['rev-parse', 'HEAD']);
      const tag = await must(folder, ['mktag'], {
        input: `object ${commit}\ntype commit\ntag t\ntagger Ada <ada@example.org> 1700000000 +0000\n\nt\n`,
      });
      await must(folder, ['push', '-q', 'origin', 'HEAD:refs/heads/topic', `${tag}:refs/tags/t`]);
      for (const length of [4, 7, 20, 39])
        assert.deepEqual(
          [await named(commit.slice(0, length)), await named(tag.slice(0, length).toUpperCase())],
          [commit, commit],
        );
      await must(folder, ['push', '-q', 'origin', ':refs/heads/topic']);
      assert.equal(await named(commit.slice(0, 7)), commit, 'the tag leads to it');
      await must(folder, ['push', '-q', 'origin', ':refs/tags/t']);
      for (const length of [4, 7, 20, 39])
        assert.deepEqual(
          [await named(commit.slice(0, length)), await named(tag.slice(0, length))],
          [undefined, undefined],
          'no ref leads to them any more',
        );
      assert.deepEqual([await named(commit), await named(tag)], [commit, commit]);
      for (const [ref, expected] of [
        ['refs/hexforge/x', undefined],
        [`${broughtRefs}/x`, undefined],
        [mergeHeadRef(7), commit],
        ['refs/notes/x', commit],
      ] as const) {
        assert.equal(await backend.moveRefs(repository, [{ ref, old: zeroOid, new: commit }]), 'moved');
        assert.equal(await named(commit.slice(0, 7)), expected, ref);
        await backend.moveRefs(repository, [{ ref, old: commit, new: zeroOid }]);
      }
      // The newest first.
      const oids = (await must(bench.source, ['rev-list', 'noise'])).split('\n');
      const later = oids.findIndex((oid, index) =>
        oids.slice(index + 1).some((old) => old.startsWith(oid.slice(0, 4))),
      );
      const four = oids[later]?.slice(0, 4) ?? '';
      const earlier = oids.findLast((oid) => oid.startsWith(four)) ?? '';
      await must(folder, ['fetch', '-q', bench.source, 'noise']);
      await must(folder, ['push', '-q', 'origin', `${earlier}:refs/heads/a`, `${oids[later]}:refs/heads/b`]);
      assert.equal(await named(four), undefined, 'ambiguous');
      await must(folder, ['push', '-q', 'origin', ':refs/heads/b']);
      assert.equal(await named(four), earlier, 'a commit without a ref makes nothing ambiguous');
    },
  },
];
