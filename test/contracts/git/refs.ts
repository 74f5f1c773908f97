// Checks of how the forge reads and moves refs: tips, divergence, moves that compare the old value, and tag objects.
import assert from 'node:assert/strict';
import { zeroOid } from '#core/repositories/git/git-backend';
import type { Check } from '../checks.ts';
import { client, fresh, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

/** A repository with `main` of three commits. @returns their oids, oldest first. */
async function three(
  bench: Bench,
): Promise<{ readonly id: string; readonly folder: string; readonly oids: readonly [string, string, string] }> {
  const id = await fresh(bench);
  const folder = await client(bench, id, ['one', 'two', 'three']);
  await must(folder, ['push', '-q', 'origin', 'main']);
  const [a = '', b = '', c = ''] = (await must(folder, ['rev-list', '--reverse', 'main'])).split('\n');
  return { id, folder, oids: [a, b, c] };
}

export const refChecks: readonly Check<Bench>[] = [
  {
    name: 'tips returns commits and annotated tags as git shows them',
    async run({ backend, filled, source }) {
      const [main, v1, again, blob] = await Promise.all(
        ['main', 'v1', 'v1-again', 'main:alpha'].map((name) => must(source, ['rev-parse', name])),
      );
      if (main === undefined || v1 === undefined || again === undefined || blob === undefined)
        throw new Error('the history lacks something');
      const commit = await must(source, ['rev-parse', 'v1^{commit}']);
      const tips = await backend.tips(filled, [main, v1, again, blob, 'a'.repeat(40), 'no oid']);
      const [subject, author, committed] = (await must(source, ['log', '-1', '--format=%s%n%an%n%ct', main])).split(
        '\n',
      );
      const tagger = { name: 'Ada', email: 'ada@example.org', date: new Date(1_700_000_000_000) };
      assert.deepEqual(
        tips,
        new Map<string, unknown>([
          [main, { kind: 'commit', subject, author, committedAt: new Date(Number(committed) * 1000) }],
          [v1, { kind: 'tag', target: commit, commit, message: 'first', tagger }],
          [again, { kind: 'tag', target: v1, commit, message: 'a tag of a tag', tagger }],
          [blob, { kind: 'other' }],
        ]),
      );
    },
  },
  {
    name: 'the digest of the ref list changes if a ref changed; the list is rebuilt only then',
    async run(bench) {
      const {
        id,
        folder,
        oids: [a, b],
      } = await three(bench);
      const { backend } = bench;
      await must(folder, ['tag', '-a', '-m', 'x', 'v1', a]);
      await must(folder, ['push', '-q', 'origin', 'v1', `${a}:refs/heads/side`]);
      const plain = (await backend.refs(id, 'all')).map(({ name, oid }) => ({ name, oid }));
      const first = await backend.refList(id, 'all');
      assert.deepEqual(first.refs, plain);
      assert.equal((await backend.refList(id, 'branches')).refs.length, 2);
      await new Promise((resolve) => setTimeout(resolve, 150));
      const [second, third] = [await backend.refList(id, 'all'), await backend.refList(id, 'all')];
      assert.equal(second.digest, first.digest);
      assert.equal(third.refs, second.refs, 'the same object');
      const update = { ref: 'refs/heads/side', old: a, new: b };
      await backend.moveRefs(id, [update]);
      const moved = await backend.refList(id, 'all');
      assert.notEqual(moved.digest, first.digest);
      assert.equal(moved.refs.find(({ name }) => name === update.ref)?.oid, b);
      await backend.moveRefs(id, [{ ...update, old: b, new: a }]);
      assert.equal((await backend.refList(id, 'all')).digest, first.digest);
    },
  },
  {
    name: 'a signature and header lines that git does not write are left out of a tag',
    async run(bench) {
      const {
        id,
        folder,
        oids: [a],
      } = await three(bench);
      const tag = (text: string): Promise<string> =>
        must(folder, ['hash-object', '-w', '-t', 'tag', '--stdin', '--literally'], { input: text });
      const signed = await tag(
        `object ${a}\ntype commit\ntag signed\ntagger Ada <ada@example.org> 5 +0000\n\nSubject\n\nBody\n-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n`,
      );
      const old = await tag(`object ${a}\ntype commit\ntag old\n\nno tagger\n`);
      await must(folder, ['push', '-q', 'origin', `${signed}:refs/tags/signed`, `${old}:refs/tags/old`]);
      const tips = await bench.backend.tips(id, [signed, old]);
      assert.deepEqual(tips.get(signed), {
        kind: 'tag',
        target: a,
        commit: a,
        message: 'Subject\n\nBody',
        tagger: { name: 'Ada', email: 'ada@example.org', date: new Date(5000) },
      });
      assert.deepEqual(tips.get(old), {
        kind: 'tag',
        target: a,
        commit: a,
        message: 'no tagger',
        tagger: undefined,
      });
    },
  },
  {
    name: 'divergence equals that of git, for heads of every kind',
    async run({ backend, filled, source }) {
      const base = await must(source, ['rev-parse', 'main']);
      const listed = (await must(source, ['rev-list', '--all'])).split('\n').filter((_, index) => index % 11 === 0);
      // Tips, merges, roots, an unrelated history and the base itself; more heads than bits in one machine word.
      const heads = [
        ...new Set([
          ...listed,
          base,
          ...(await must(source, ['for-each-ref', '--format=%(objectname)', 'refs/heads/'])).split('\n'),
        ]),
      ];
      assert.ok(heads.length > 40, `heads: ${heads.length}`);
      const found = await backend.divergence(filled, base, heads);
      for (const head of heads) {
        const [behind, ahead] = (await must(source, ['rev-list', '--left-right', '--count', `${base}...${head}`]))
          .split('\t')
          .map(Number);
        assert.deepEqual(found.get(head), { ahead, behind }, head);
      }
      assert.deepEqual(await backend.divergence(filled, base, heads), found, 'a second call');
      assert.deepEqual(await backend.divergence(filled, base, []), new Map());
    },
  },
  {
    name: 'divergence is right if commit dates are wrong',
    async run(bench) {
      const id = await fresh(bench);
      const folder = await client(bench, id, []);
      // Parents are younger than their children, on both sides of a merge.
      const dates = [9000, 1000, 8000, 500, 7000, 100];
      const parents = ['', 'from :1\n', 'from :1\n', 'from :2\nmerge :3\n', 'from :3\n', 'from :5\n'];
      await must(folder, ['fast-import', '--quiet', '--date-format=raw'], {
        input: dates
          .map(
            (date, at) =>
              `commit refs/heads/c${at + 1}\nmark :${at + 1}\ncommitter A <a@b> ${date} +0000\ndata 1\nx\n${parents[at] ?? ''}\n`,
          )
          .join(''),
      });
      await must(folder, ['push', '-q', 'origin', '--all']);
      const oids = await Promise.all(dates.map((_, at) => must(folder, ['rev-parse', `c${at + 1}`])));
      for (const base of oids) {
        const found = await bench.backend.divergence(id, base, oids);
        for (const head of oids) {
          const [behind, ahead] = (await must(folder, ['rev-list', '--left-right', '--count', `${base}...${head}`]))
            .split('\t')
            .map(Number);
          assert.deepEqual(found.get(head), { ahead, behind });
        }
      }
    },
  },
  {
    name: 'a ref moves only from its expected old value, and all refs move or none',
    async run(bench) {
      const { backend } = bench;
      const {
        id,
        oids: [a, b, c],
      } = await three(bench);
      const ref = 'refs/heads/x/ü';
      const at = async () => (await backend.readRefs(id, [ref]))[0];
      assert.equal(await backend.moveRefs(id, [{ ref, old: zeroOid, new: a }]), 'moved');
      assert.equal(await backend.moveRefs(id, [{ ref, old: zeroOid, new: b }]), 'stale', 'it exists already');
      assert.equal(await backend.moveRefs(id, [{ ref, old: b, new: c }]), 'stale');
      assert.equal(await backend.moveRefs(id, [{ ref, old: b, new: zeroOid }]), 'stale');
      assert.equal(await at(), a);
      assert.equal(
        await backend.moveRefs(id, [
          { ref, old: a, new: b },
          { ref: 'refs/heads/main', old: a, new: b },
        ]),
        'stale',
        'one of two is stale',
      );
      assert.equal(await at(), a);
      assert.equal(
        await backend.moveRefs(id, [
          { ref, old: a, new: b },
          { ref: 'refs/tags/t', old: zeroOid, new: c },
        ]),
        'moved',
      );
      assert.deepEqual(await backend.readRefs(id, [ref, 'refs/tags/t']), [b, c]);
      assert.equal(await backend.moveRefs(id, [{ ref, old: b, new: zeroOid }]), 'moved');
      assert.equal(await backend.moveRefs(id, [{ ref, old: b, new: zeroOid }]), 'stale', 'already deleted');
      assert.equal(await at(), zeroOid);
    },
  },
  {
    name: 'a ref name cannot be a folder of another, packed or not',
    async run(bench) {
      const { backend } = bench;
      const {
        id,
        folder,
        oids: [a],
      } = await three(bench);
      assert.equal(await backend.moveRefs(id, [{ ref: 'refs/heads/main/sub', old: zeroOid, new: a }]), 'in-the-way');
      assert.equal(await backend.moveRefs(id, [{ ref: 'refs/heads/deep/er', old: zeroOid, new: a }]), 'moved');
      assert.equal(await backend.moveRefs(id, [{ ref: 'refs/heads/deep', old: zeroOid, new: a }]), 'in-the-way');
      // Enough refs that maintenance packs them.
      await must(folder, [
        'push',
        '-q',
        'origin',
        ...Array.from({ length: 70 }, (_, number) => `main:refs/tags/t${number}`),
      ]);
      await backend.maintain(id);
      assert.equal(await backend.moveRefs(id, [{ ref: 'refs/heads/deep', old: zeroOid, new: a }]), 'in-the-way');
      assert.equal(
        await backend.moveRefs(id, [
          { ref: 'refs/tags/t3', old: await must(folder, ['rev-parse', 'main']), new: zeroOid },
        ]),
        'moved',
        'a packed ref blocks too',
      );
      assert.deepEqual(await backend.readRefs(id, ['refs/tags/t3']), [zeroOid]);
    },
  },
  {
    name: 'of many concurrent creations of one ref exactly one succeeds',
    async run(bench) {
      const {
        id,
        oids: [a, b],
      } = await three(bench);
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          bench.backend.moveRefs(id, [{ ref: 'refs/heads/race', old: zeroOid, new: index % 2 === 0 ? a : b }]),
        ),
      );
      assert.deepEqual(outcomes.toSorted(), ['moved', ...Array<string>(7).fill('stale')]);
    },
  },
  {
    name: 'ref names and values that git could misread are rejected before git is called',
    async run(bench) {
      const {
        id,
        oids: [a],
      } = await three(bench);
      for (const ref of [
        'refs/heads/a\nb',
        'refs/heads/a\0b',
        'refs/heads/..',
        'HEAD',
        'main',
        '--stdin',
        'refs/heads/x.lock',
        'refs/heads/a b',
      ]) {
        await assert.rejects(
          bench.backend.moveRefs(id, [{ ref, old: zeroOid, new: a }]),
          { name: 'ValidationFailed' },
          ref,
        );
      }
      for (const oid of ['', 'main', `${a}\n`, 'HEAD'])
        await assert.rejects(
          bench.backend.moveRefs(id, [{ ref: 'refs/heads/n', old: zeroOid, new: oid }]),
          { name: 'ValidationFailed' },
          oid,
        );
    },
  },
  {
    name: 'an annotated tag is the object git would write, for any message and author',
    async run(bench) {
      const { backend, server } = bench;
      const {
        id,
        oids: [a],
      } = await three(bench);
      const date = new Date(1_700_000_001_000);
      const oid = await backend.writeTag(id, {
        name: 'rel/1.0',
        commit: a,
        message: 'Größer\n\nobject x\ntagger y\n',
        tagger: { name: 'Eve\n<eve>\u0000 \u00fc', email: 'e<v>e@x\n', date },
      });
      assert.equal(await backend.moveRefs(id, [{ ref: 'refs/tags/rel/1.0', old: zeroOid, new: oid }]), 'moved');
      const copy = `${bench.folder}/${id}-tagged`;
      await must(bench.folder, ['clone', '-q', '--mirror', server.url(id), copy]);
      assert.equal((await git(copy, ['fsck', '--strict'])).code, 0);
      assert.equal(
        await must(copy, ['cat-file', '-p', 'rel/1.0']),
        `object ${a}\ntype commit\ntag rel/1.0\ntagger Eveeve ü <eve@x> 1700000001 +0000\n\nGrößer\n\nobject x\ntagger y`,
      );
      assert.equal(await backend.resolveCommit(id, 'rel/1.0'), a);
      const nameless = await backend.writeTag(id, {
        name: 'n',
        commit: a,
        message: 'm',
        tagger: { name: '<>', email: '', date },
      });
      assert.deepEqual((await backend.tips(id, [nameless])).get(nameless), {
        kind: 'tag',
        target: a,
        commit: a,
        message: 'm',
        tagger: { name: 'unknown', email: '', date },
      });
      for (const name of ['-x', 'a\ntagger b', 'a b', ''])
        await assert.rejects(
          backend.writeTag(id, { name, commit: a, message: 'm', tagger: { name: 'a', email: 'b', date } }),
          { name: 'ValidationFailed' },
          name,
        );
    },
  },
];
