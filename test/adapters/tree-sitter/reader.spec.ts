// The reader of symbols: limits of texts and results, the queue, and a worker that hangs, fails and ends.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { treeSitterSymbols, type TreeSitterSymbols } from '#adapters/tree-sitter/index';
import { defaultTimes } from '#adapters/tree-sitter/thread';
import { Unavailable } from '#core/kernel/errors';
import type { SymbolDefinition } from '#core/search/model/symbol';
import { root } from '../../../tools/project-files.ts';
import { keptLog, silent } from './silent.ts';

const failing = new URL('./failing-worker.ts', import.meta.url);
/** Patient with a busy machine. */
const times = { ...defaultTimes, start: 60_000, wall: 60_000 };

const reader = treeSitterSymbols({ log: silent, times });
t.teardown(() => reader.stop());

const go = (text: string, of: TreeSitterSymbols = reader, signal?: AbortSignal): Promise<readonly SymbolDefinition[]> =>
  of.read({ language: 'go', path: 'a.go', text }, signal);
const names = async (text: string, of?: TreeSitterSymbols): Promise<readonly string[]> =>
  (await go(text, of)).map(({ name }) => name);

void t.test('a language without grammar and a large file have no definitions, and start no worker', async (t) => {
  const lazy = treeSitterSymbols({ log: silent, times });
  t.teardown(() => lazy.stop());
  for (const language of ['', 'markdown', 'constructor', 'javascript-fields'])
    t.strictSame(await lazy.read({ language, path: 'a', text: 'func a() {}' }), [], language);
  t.strictSame(await go(`func a() {}\n//${'a'.repeat(1024 * 1024)}`, lazy), []);
  t.equal(lazy.running, false);
  t.strictSame(await names('func a() {}', lazy), ['a']);
  t.equal(lazy.running, true);
});

void t.test('lines and signatures of unusual texts', async (t) => {
  t.strictSame(await go('\u{feff}package a\r\n\r\n\tfunc \u{1d4b3}日() {}\t\r\n'), [
    { name: '\u{1d4b3}日', kind: 'function', line: 3, signature: 'func \u{1d4b3}日() {}' },
  ]);
  t.strictSame(await go('/* \0\u{fffd}\u{d800} */ func a(b int /* \0\u{d800} */) {}'), [
    {
      name: 'a',
      kind: 'function',
      line: 1,
      signature: '/*  \u{fffd}\u{fffd} */ func a(b int /*  \u{fffd} */) {}',
    },
  ]);
  t.strictSame(await go(`/* ${'\u{1f600}'.repeat(300)} */ func a() {} // ${'\u{1f600}'.repeat(300)}`), [
    { name: 'a', kind: 'function', line: 1, signature: `a() {} // ${'\u{1f600}'.repeat(95)}` },
  ]);
  t.strictSame(await go(`${'\t'.repeat(5000)}func a() {}\n${' '.repeat(300)}func b() {}`), [
    { name: 'a', kind: 'function', line: 1, signature: 'a() {}' },
    { name: 'b', kind: 'function', line: 2, signature: 'func b() {}' },
  ]);
  t.strictSame(await go('func\n\na\n() {}\rfunc b() {}'), [
    { name: 'a', kind: 'function', line: 3, signature: 'a' },
    { name: 'b', kind: 'function', line: 4, signature: '() {}\rfunc b() {}' },
  ]);
  t.strictSame(await names(''), []);
});

void t.test('names have 200 characters at most, and a file 2,000 definitions', async (t) => {
  t.strictSame(await names(`func ${'a'.repeat(201)}() {}\nfunc ${'b'.repeat(200)}() {}\nfunc _() {}`), [
    'b'.repeat(200),
  ]);
  const many = await names(Array.from({ length: 2500 }, (_, index) => `func f${String(index)}() {}`).join('\n'));
  t.equal(many.length, 2000);
  t.equal(many.at(-1), 'f1999');
});

for (const [failure, reason] of [
  ['hang', /took longer than 300 ms/],
  ['throw', /thrown/],
  ['exit', /has ended/],
  ['memory', /memory/i],
] as const)
  void t.test(`a worker that meets its end by "${failure}" costs its own file alone`, async (t) => {
    const { log, kept } = keptLog();
    const fragile = treeSitterSymbols({
      log,
      worker: failing,
      times: { ...times, ...(failure === 'hang' ? { file: 300 } : { file: 60_000 }) },
    });
    t.teardown(() => fragile.stop());
    t.strictSame(await names('func before() {}', fragile), ['before']);
    const [first, bad, ...others] = await Promise.all([
      names('func first() {}', fragile),
      names(failure, fragile),
      names('func second() {}', fragile),
      names('func third() {}', fragile),
    ]);
    t.strictSame([first, bad, others], [['first'], [], [['second'], ['third']]]);
    t.strictSame(fragile.restarts, { go: 1 });
    t.equal(kept.length, 1);
    t.match(kept[0], {
      message: 'A file made the reader of symbols restart',
      members: { language: 'go', path: 'a.go', length: failure.length, reason },
    });
  });

void t.test('a worker without files ends, and the next file starts another one', async (t) => {
  const brief = treeSitterSymbols({ log: silent, times: { ...times, idle: 20 } });
  t.teardown(() => brief.stop());
  for (const name of ['a', 'b']) {
    t.strictSame(await names(`func ${name}() {}`, brief), [name]);
    while (brief.running) await wait(10);
  }
  t.strictSame(brief.restarts, {});
});

void t.test('a full queue, a stopped reader, and a worker that does not start are reported', async (t) => {
  const busy = treeSitterSymbols({ log: silent, times });
  const all = Array.from({ length: 300 }, () => go('func a() {}', busy));
  const results = await Promise.allSettled(all);
  const refused = results.filter((result) => result.status === 'rejected');
  t.equal(refused.length, 300 - 256);
  for (const { reason } of refused) t.match(reason, { kind: 'unavailable', message: /Too many files wait/ });
  const left = go('func a() {}', busy);
  const stopped = t.rejects(left, Unavailable);
  await busy.stop();
  await stopped;
  await t.rejects(go('func a() {}', busy), { message: /is stopped/ });

  const missing = treeSitterSymbols({ log: silent, times, worker: new URL('./missing-worker.ts', import.meta.url) });
  t.teardown(() => missing.stop());
  await t.rejects(go('func a() {}', missing), { kind: 'unavailable', message: /cannot start/ });
  await t.rejects(go('func a() {}', missing), { kind: 'unavailable', message: /cannot start/ }, 'it is tried again');
  t.strictSame(missing.restarts, {}, 'no file is to blame');
});

void t.test('a reader that is aborted waits no longer, and the others are read', async (t) => {
  const controller = new AbortController();
  const aborted = t.rejects(go('func a() {}', reader, controller.signal), { name: 'AbortError' });
  const later = t.rejects(go('func a() {}', reader, controller.signal), { name: 'AbortError' });
  const other = names('func b() {}');
  controller.abort();
  await Promise.all([aborted, later]);
  t.strictSame(await other, ['b']);
  await t.rejects(go('func a() {}', reader, controller.signal), { name: 'AbortError' });
});

void t.test('the grammars of this repository are the published ones', async (t) => {
  const folder = join(root, 'adapters/tree-sitter/grammars');
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  const files = readdirSync(folder).filter((name) => name.endsWith('.wasm'));
  t.equal(files.length, 2);
  for (const name of files) {
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    t.ok(
      page.split('\n').some((line) => line.includes(`\`${name}\``) && line.includes(`\`${sum}\``)),
      name,
    );
  }
});
