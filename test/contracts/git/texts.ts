// Checks of the texts of commits: names, dates and messages in every encoding, compared with `git log`, and equal in
// every method that returns them.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import type { CommitRecord } from '#core/repositories/git/git-history';
import type { Check } from '../checks.ts';
import { client, fresh, never, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

interface Written {
  readonly what: string;
  readonly encoding?: string;
  /** Bytes as hex: of the author's name, and of the message. */
  readonly text: string;
  /** After the author's address. */
  readonly date?: string;
  readonly signature?: string;
}

/** A text by the name of its encoding, as iconv(1) writes it. */
const samples: Readonly<Record<string, string>> = {
  cp936: 'c4e3bac3',
  CP932: '874093fa967b8cea',
  CP949: 'c7d1b1b9beee8c63',
  eucJP: 'c6fccbdcb8ec',
  CP437: '477281e165',
  latin9: '3520a4',
  'latin-1': '4772fcdf65',
  'ISO-2022-JP': '1b24422546253925481b2842',
  'ISO-2022-KR': '1b2429430e475131390f',
  SHIFT_JIS: '93fa967b5c7e',
  GB18030: 'c4e3bac39439fc36',
  'BIG5-HKSCS': 'a741a66e',
  'KOI8-R': 'f0d2c9d7c5d4',
  'UTF-7': '47722b4150774133772d65',
  'EUC-TW': 'c9a3c7ef',
  MACINTOSH: '47729aa765',
  // Control characters of ISO-8859-1; windows-1252 has letters in their place.
  'ISO-8859-1': '8f849c',
  'windows-1252': '9335208094',
  UTF8: 'c3a9',
  'no-such-encoding': 'c3a9',
  // Not valid in the encodings that are named, and read unchanged.
  'UTF-8': 'e9',
  cp1255: 'd9ff',
};
const malformedZones = [' UTC', ' 0530', ' +5:30', ' +', ' +0530x', '  +0530', ' +051800', ' -0000'];

const written: readonly Written[] = [
  ...Object.entries(samples).map(([encoding, text]) => ({ what: encoding, encoding, text })),
  { what: 'no encoding, not UTF-8', text: 'e9' },
  { what: 'a byte order mark', text: 'efbbbf61' },
  { what: 'an encoding below a signature', encoding: 'cp936', text: 'c4e3bac3', signature: 'x\n y\n encoding CP932' },
  ...malformedZones.map((zone) => ({ what: `zone "${zone}"`, text: '61', date: ` 1700000000${zone}` })),
  { what: 'no space before the date', text: '61', date: '1700000000 +0530' },
  { what: 'a name of blanks', text: '2061c2a020', encoding: 'utf-8' },
];

/** Pushes a commit for each text. Each adds the file of its number, and a line to `all`. @returns their oids. */
async function pushed(bench: Bench, repository: string): Promise<{ folder: string; oids: readonly string[] }> {
  const folder = await client(bench, repository, []);
  const hashed = async (type: string, input: Buffer | string): Promise<string> =>
    await must(folder, ['hash-object', '-t', type, '-w', '--stdin'], { input });
  const oids: string[] = [];
  const empty = await hashed('blob', '');
  for (const [index, { encoding, text, date = ' 1700000000 +0530', signature }] of written.entries()) {
    const lines = written.slice(0, index + 1).map((_, at) => `${at}\n`);
    const all = await hashed('blob', lines.join(''));
    const names = ['all', ...lines.map((_, at) => `f${at}`)];
    const tree = await must(folder, ['mktree', '--missing'], {
      input: names.map((name) => `100644 blob ${name === 'all' ? all : empty}\t${name}\n`).join(''),
    });
    const bytes = Buffer.from(text, 'hex');
    oids.push(
      await hashed(
        'commit',
        Buffer.concat([
          Buffer.from(`tree ${tree}\n${index === 0 ? '' : `parent ${oids.at(-1) ?? ''}\n`}author `),
          bytes,
          Buffer.from(` <a@example.org>${date}\ncommitter `),
          bytes,
          Buffer.from(` <c@example.org>${date}\n`),
          Buffer.from(encoding === undefined ? '' : `encoding ${encoding}\n`),
          Buffer.from(signature === undefined ? '' : `gpgsig ${signature}\n`),
          Buffer.from('\n\n'),
          bytes,
          Buffer.from('\n\nbody '),
          bytes,
          Buffer.from('\n'),
        ]),
      ),
    );
  }
  const branches = oids.map((oid, index) => `${oid}:refs/heads/b${index}`);
  await must(folder, ['push', '-q', 'origin', ...branches]);
  return { folder, oids };
}

/** The commits, and their subjects, as git itself prints them. */
async function printed(
  folder: string,
  oids: readonly string[],
): Promise<readonly { readonly commit: CommitRecord; readonly subject: string }[]> {
  const format = '%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B%x00%s%x00';
  const args = ['log', '--no-walk=unsorted', '--encoding=UTF-8', `--format=tformat:${format}`, ...oids];
  const { stdout } = await git(folder, args);
  const fields = stdout.split('\0');
  return oids.map((_, index) => {
    const [oid, parents, name, email, authored, committer, address, committed, message, subject = ''] = fields.slice(
      10 * index,
    );
    const commit = {
      oid: oid?.trim() ?? '',
      parents: parents?.split(' ').filter((parent) => parent !== '') ?? [],
      author: { name: name ?? '', email: email ?? '', date: new Date(Number(authored) * 1000) },
      committer: { name: committer ?? '', email: address ?? '', date: new Date(Number(committed) * 1000) },
      message: message?.replace(/^\n+|\n+$/g, '') ?? '',
    };
    return { commit, subject };
  });
}

export const textChecks: readonly Check<Bench>[] = [
  {
    name: 'every method returns the names, dates and message of a commit that git log prints, in every encoding',
    async run(bench) {
      const { backend } = bench;
      const repository = await fresh(bench);
      const { folder, oids } = await pushed(bench, repository);
      const expected = await printed(folder, oids);
      const tip = oids.at(-1) ?? '';
      const listed = await backend.history(repository, { tip, skip: 0, limit: 100 });
      const tips = await backend.tips(repository, oids);
      const blamed = await backend.blame(repository, tip, 'all');
      const last = await backend.lastCommits(repository, tip, '');
      assert.ok(expected.some(({ commit }) => commit.author.name === '你好'));
      for (const [index, { commit, subject }] of expected.entries()) {
        const { what } = written[index] ?? { what: '' };
        const { oid, author, committer } = commit;
        assert.deepEqual(await backend.commitRecord(repository, oid), commit, what);
        assert.deepEqual(listed.at(-1 - index), commit, `history: ${what}`);
        assert.deepEqual(
          tips.get(oid),
          { kind: 'commit', subject, author: author.name, committedAt: committer.date },
          `tips: ${what}`,
        );
        assert.deepEqual(blamed?.[index], { content: String(index), oid, author }, `blame: ${what}`);
        assert.deepEqual(last.get(`f${index}`), { oid, subject, committedAt: committer.date }, `last commits: ${what}`);
      }
    },
  },
  {
    name: 'the returned part of a long message in another encoding is decoded',
    async run(bench) {
      const repository = await fresh(bench);
      const folder = await client(bench, repository, ['one']);
      for (const length of [100_000, 400_000])
        await must(folder, ['-c', 'i18n.commitEncoding=cp936', 'commit', '-q', '--allow-empty', '-F', '-'], {
          input: Buffer.from('c4e3'.repeat(length), 'hex'),
        });
      await must(folder, ['push', '-q', 'origin', 'main']);
      const tip = await must(folder, ['rev-parse', 'HEAD']);
      const messages = (await bench.backend.history(repository, { tip, skip: 0, limit: 2 })).map(
        ({ message }) => message,
      );
      assert.deepEqual(
        messages.map((message) => [message.length, message.slice(0, 2), message.at(-1)]),
        Array.from({ length: 2 }, () => [64 * 1024, '你你', '…']),
      );
    },
  },
  {
    name: 'no ref and no file of the repository changes what is returned about a commit',
    async run(bench) {
      const { backend } = bench;
      const repository = await fresh(bench);
      const folder = await client(bench, repository, ['one']);
      const old = await must(folder, ['rev-parse', 'HEAD']);
      const answers = async (): Promise<readonly unknown[]> => [
        await backend.commitRecord(repository, old),
        await backend.blame(repository, old, 'file'),
        await backend.history(repository, { tip: old, skip: 0, limit: 5, author: 'Ada' }),
        await backend.history(repository, { tip: old, skip: 0, limit: 5, author: 'Mallory' }),
        await backend.difference(repository, undefined, old),
        await backend.tips(repository, [old]),
        (await backend.lastCommits(repository, old, '')).get('file'),
      ];
      await must(folder, ['push', '-q', 'origin', 'main']);
      const before = await answers();
      // A second process has no caches.
      const write = async (name: string, content: string): Promise<void> => {
        await must(folder, [
          'update-index',
          '--add',
          '--cacheinfo',
          `100644,${await must(folder, ['hash-object', '-w', '--stdin'], { input: content })},${name}`,
        ]);
      };
      await write('.mailmap', 'Mallory <mallory@example.org> <ada@example.org>\n');
      await write('.gitattributes', '* binary\n');
      await must(folder, ['commit', '-q', '-m', 'Rename Ada']);
      await must(folder, ['notes', 'add', '-m', 'a note', old]);
      const other = await must(folder, ['commit-tree', '-m', 'another', 'HEAD^{tree}']);
      await must(folder, ['replace', old, other]);
      await must(folder, [
        'push',
        '-q',
        'origin',
        'main',
        'refs/notes/*:refs/notes/*',
        'refs/replace/*:refs/replace/*',
      ]);
      const again = await fresh(bench);
      await must(folder, [
        'push',
        '-q',
        bench.server.url(again),
        'main',
        'refs/notes/*:refs/notes/*',
        'refs/replace/*:refs/replace/*',
      ]);
      assert.deepEqual(await answers(), before);
      assert.deepEqual(
        [await backend.commitRecord(again, old), await backend.blame(again, old, 'file')],
        before.slice(0, 2),
        'read for the first time after the change',
      );
    },
  },
  {
    name: 'a rebased commit is written in UTF-8: its author and message read as before, beside the new committer',
    async run(bench) {
      const { backend } = bench;
      const repository = await fresh(bench);
      const folder = await client(bench, repository, ['one']);
      const base = await must(folder, ['rev-parse', 'HEAD']);
      const tree = await must(folder, ['rev-parse', 'HEAD^{tree}']);
      const picks: string[] = [];
      for (const [encoding, text] of Object.entries(samples)) {
        const bytes = Buffer.from(text, 'hex');
        const content = Buffer.concat([
          Buffer.from(`tree ${tree}\nparent ${picks.at(-1) ?? base}\nauthor `),
          bytes,
          Buffer.from(' <a@example.org> 1700000000 +0530\ncommitter '),
          bytes,
          Buffer.from(` <c@example.org> 1700000000 +0530\nencoding ${encoding}\n\n`),
          bytes,
          Buffer.from('\n'),
        ]);
        picks.push(await must(folder, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: content }));
      }
      const source = picks.at(-1) ?? '';
      const target = await must(folder, ['commit-tree', '-p', base, '-m', 'aside', `${base}^{tree}`]);
      await must(folder, ['push', '-q', 'origin', `${target}:refs/heads/main`, `${source}:refs/heads/topic`]);
      const committer = { name: 'Zoë', email: 'z@example.org', date: new Date(1_800_000_000_000) };
      const made = await backend.merge(
        repository,
        { ref: 'refs/heads/main', target, source, strategy: 'rebase', message: '', author: committer, committer },
        {
          signal: never,
          announced: async () => undefined,
          judge: async (updates) => updates.map(({ ref }) => ({ ref, refusal: undefined })),
          landed: async () => undefined,
        },
      );
      assert.ok(made.kind === 'made');
      const texts = async (tip: string) =>
        (await backend.history(repository, { tip, skip: 0, limit: picks.length })).map(({ author, message }) => ({
          author,
          message,
        }));
      assert.deepEqual(await texts(made.oid), await texts(source));
      await must(folder, ['fetch', '-q', 'origin', 'main']);
      const range = ['log', '--format=%cn %ai', `--max-count=${picks.length}`, 'FETCH_HEAD'];
      assert.deepEqual(
        [...new Set((await must(folder, range)).split('\n'))],
        ['Zoë 2023-11-15 03:43:20 +0530'],
        'read by another git',
      );
    },
  },
];
