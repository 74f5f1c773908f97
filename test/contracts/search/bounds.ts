// Contract checks of `SearchBackend`: the largest files and writes, and queries that are aborted.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { codeSection, type StoredEntry } from '#core/search/index';
import { check, defining, document, file, issues, paged, userOf } from './bench.ts';

const mebibyte = 1024 * 1024;

/** Distinct lines of code-like text, `bytes` long together, with these words at the beginning, middle and end. */
function long(bytes: number, [first, middle, last]: readonly [string, string, string], line: (at: number) => string) {
  const lines = [first];
  let left = bytes - Buffer.byteLength(`${first}\n${middle}\n${last}`);
  for (let at = 0, isHalf = false; ; at += 1) {
    const next = line(at);
    const size = Buffer.byteLength(next) + 1;
    if (size > left) break;
    if (!isHalf && left < bytes / 2) {
      lines.push(middle);
      isHalf = true;
    }
    lines.push(next);
    left -= size;
  }
  return [...lines, `${'x'.repeat(left)}${last}`].join('\n');
}

export const boundChecks = [
  check('files of one mebibyte are found by their first, middle and last words', async (given) => {
    const { word, write, paths, files } = given;
    const words = [`${word}first`, `${word}middle`, `${word}last`] as const;
    const code = long(
      mebibyte,
      words,
      (at) => `  const value${at} = compute(${at * 31}, "${(at * 7919).toString(36)}");`,
    );
    const cjk = long(mebibyte, words, (at) =>
      Array.from({ length: 40 }, (_, column) =>
        String.fromCodePoint(0x4e00 + (((at * 40 + column) * 7919) % 20_000)),
      ).join(''),
    );
    for (const text of [code, cjk]) assert.equal(Buffer.byteLength(text), mebibyte);
    await write({ files: [file('code.ts', code), file('cjk.txt', cjk), defining('small.ts', word)] });
    for (const one of words) await given.becomesSet(() => paths({ terms: [one] }), ['code.ts', 'cjk.txt'], one);
    await given.becomesSet(() => paths({ terms: [...words] }), ['code.ts', 'cjk.txt']);
    await given.becomes(() => paths({ terms: ['value9999 = compute('] }), ['code.ts']);
    await given.becomes(() => paths({ terms: [word, 'absent-everywhere'] }), []);
    await write({ files: [file('code.ts', 'short')] });
    await given.eventually(async () => assert.equal((await files({ terms: [words[0]] })).total, 1));
  }),

  check('lines of a hundred thousand characters are searched to their end', async (given) => {
    const { word, write, paths } = given;
    const line = Array.from({ length: 20_000 }, (_, at) => (at % 9973).toString(36).padStart(4, '0')).join(',');
    await write({
      files: [
        file('end.js', `${line}${word}`),
        file('middle.js', `${line}\n${line}${word}${line}`),
        file('same.js', `${'a'.repeat(100_000)}${word}`),
        file('without.js', line),
      ],
    });
    await given.becomesSet(() => paths({ terms: [word] }), ['end.js', 'middle.js', 'same.js']);
    await given.becomesSet(() => paths({ terms: [`${'a'.repeat(200)}${word}`] }), ['same.js']);
    await given.becomesSet(() => paths({ terms: [`${line.slice(-100)}${word}`] }), ['end.js', 'middle.js']);
  }),

  check('a write of three thousand files and documents is complete, and so is its removal', async (given) => {
    const { word, write, paths, keys, repository } = given;
    const index = await given.index();
    const names = Array.from({ length: 3000 }, (_, at) => `src/${at % 17}/${at}.ts`);
    const listed = async (section: string): Promise<readonly string[]> => {
      const source = { section, repositoryId: repository };
      const entries = await paged(
        (last: StoredEntry | undefined) => index.entries(source, last?.key, 1000),
        1000,
        ({ key }) => key,
      );
      return entries.map(({ key }) => key);
    };
    await write({ files: names.map((path, at) => file(path, `${word}${at}x`)) });
    await write({ documents: names.map((key, at) => document(key, `${word}${at}x`)) }, { section: issues });
    for (const section of [codeSection, issues]) assert.deepEqual(await listed(section), names.toSorted());
    for (const at of [0, 1500, 2999]) {
      await given.becomes(() => paths({ terms: [`${word}${at}x`] }), [names[at] ?? '']);
      await given.becomes(() => keys({ words: [`${word}${at}x`] }), [names[at] ?? '']);
    }
    await write({
      removed: names.slice(0, 2000),
      moved: names.slice(2000).map((from) => ({ from, to: `lib/${from}`, language: 'typescript' })),
    });
    await write({ removed: names.slice(1) }, { section: issues });
    const moved = names.slice(2000).map((path) => `lib/${path}`);
    assert.deepEqual(await listed(codeSection), moved.toSorted());
    assert.deepEqual(await listed(issues), names.slice(0, 1));
    await given.becomes(() => paths({ terms: [`${word}2999x`] }), [`lib/${names[2999]}`]);
    await given.becomes(() => paths({ terms: [`${word}1500x`] }), []);
    await given.becomes(() => keys({ words: [`${word}0x`] }), [names[0] ?? '']);
    await given.becomes(() => keys({ words: [`${word}1500x`] }), []);
  }),

  check('an aborted query rejects, and later queries are answered', async (given) => {
    const { word, write, world, owner, repository, backend, paths } = given;
    await write({ files: [defining('a.ts', word)] });
    await write({ documents: [document('1', word)] }, { section: issues });
    const queries = (signal: AbortSignal): readonly Promise<unknown>[] => {
      const within = { readable: world.readable(userOf(owner)), repositoryIds: [repository], limit: 5, signal };
      const filter = { languages: [], paths: [] };
      return [
        backend.files({ ...within, ...filter, terms: [word], short: [] }),
        backend.symbols({ ...within, ...filter, name: word, kinds: [] }),
        backend.documents({ ...within, section: issues, words: [word], sort: 'recent' }),
      ];
    };
    for (const outcome of await Promise.allSettled(queries(AbortSignal.abort())))
      assert.equal(outcome.status, 'rejected', 'aborted before it began');
    const controller = new AbortController();
    const running = Promise.allSettled(queries(controller.signal));
    controller.abort();
    assert.equal((await running).length, 3, 'each one that is aborted while it runs ends');
    await given.becomes(() => paths({ terms: [word] }), ['a.ts']);
  }),
];
