// Parsers, counters and caches of the native git adapter that read history.
import { Buffer } from 'node:buffer';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { AheadBehindCounter } from '#adapters/git-native/history/ahead-behind';
import { parseCommitRecord } from '#adapters/git-native/history/commits';
import { DiffOutputParser } from '#adapters/git-native/history/diff';
import { SingleFlightCache } from '#adapters/git-native/process/single-flight-cache';

const zeros = '0'.repeat(40);
const printed = Buffer.from(
  [
    `:100644 100644 ${zeros} ${zeros} R083`,
    'old\tname',
    'new\nname',
    `:100644 120000 ${zeros} ${zeros} T`,
    'typed',
    `:000000 100644 ${zeros} ${zeros} A`,
    'ünï',
    '1\t2\t',
    'old\tname',
    'new\nname',
    '1\t1\ttyped',
    '-\t-\tünï',
    '',
    'diff --git a/x b/y\nsimilarity index 83%\n--- a/x\n+++ b/y\n@@ -1 +1,2 @@\n-a\r\n+diff --git a b\n\\ No newline at end of file\n' +
      'diff --git a/typed b/typed\ndeleted file mode 100644\n@@ -1 +0,0 @@\n-x\ndiff --git a/typed b/typed\nnew file mode 120000\n@@ -0,0 +1 @@\n+g\n' +
      'diff --git a/u b/u\nBinary files differ\n',
  ].join('\0'),
);

void t.test('a difference is parsed the same in pieces of any length', (t) => {
  const expected = {
    files: [
      {
        path: 'new\nname',
        status: 'renamed',
        previousPath: 'old\tname',
        additions: 1,
        deletions: 2,
        isBinary: false,
        patch: '@@ -1 +1,2 @@\n-a\r\n+diff --git a b\n\\ No newline at end of file',
      },
      {
        path: 'typed',
        status: 'modified',
        additions: 1,
        deletions: 1,
        isBinary: false,
        patch: '@@ -1 +0,0 @@\n-x\n@@ -0,0 +1 @@\n+g',
      },
      { path: 'ünï', status: 'added', additions: 0, deletions: 0, isBinary: true },
    ],
    truncated: false,
    additions: 2,
    deletions: 3,
  };
  for (const length of [1, 2, 7, 64, printed.length]) {
    const output = new DiffOutputParser();
    for (let at = 0; at < printed.length; at += length) t.equal(output.take(printed.subarray(at, at + length)), true);
    t.same(output.difference(true), expected, `pieces of ${length}`);
  }
  t.end();
});

void t.test('a truncated difference has no patch for the file in which it was cut', (t) => {
  const output = new DiffOutputParser();
  output.take(printed.subarray(0, printed.indexOf('+1,2 @@')));
  t.same(
    output.difference(false).files.map(({ patch }) => patch),
    [undefined, undefined, undefined],
  );
  t.end();
});

void t.test('a commit with malformed lines is parsed as far as possible', (t) => {
  const read = (text: string) => parseCommitRecord(zeros, Buffer.from(text, 'latin1'));
  t.match(read(''), { message: '', author: { name: '', email: '', date: new Date(0) }, parents: [] });
  t.match(read('author A <b> 99999999999999 +0000\n\nm'), {
    author: { name: 'A', email: 'b', date: new Date(Date.UTC(9999, 11, 31, 23, 59, 59)) },
  });
  for (const date of ['-5 +0000', '7', '7 UTC', '7 0530', '7 +', '7x +0000', '99999999999999999999 +0000'])
    t.match(read(`author A <b> ${date}\n\nm`), { author: { name: 'A', date: new Date(0) } }, date);
  for (const date of ['7 +0', '7-1', '007\t +05x'])
    t.match(read(`author A <b>${date}\n\nm`), { author: { date: new Date(7000) } });
  t.match(read('author  A \t< <b> c> 7 +0000\n\nm'), { author: { name: ' A', email: ' <b', date: new Date(7000) } });
  t.match(read('author A\n\nm\xe9'), { author: { name: '', email: '' }, message: 'm\uFFFD' }, 'as git reads it');
  t.match(read('author A <b> 7 +0000\n\none\0two'), { message: 'one' });
  t.end();
});

void t.test('commits ahead and behind are counted for one head, and for a multiple of 32', (t) => {
  for (const count of [1, 31, 32, 33, 64]) {
    // Each head has one commit on a root, and so has the base.
    const heads = Array.from({ length: count }, (_, index) => index + 2);
    const counter = new AheadBehindCounter(1, heads);
    for (const commit of [1, ...heads]) counter.take({ commit, parents: [0] });
    t.equal(counter.finished, true);
    t.strictSame(
      counter.result(),
      heads.map(() => ({ ahead: 1, behind: 1 })),
      `${count} heads`,
    );
  }
  t.end();
});

void t.test('a single-flight cache', async (t) => {
  await t.test('computes once for concurrent requests, and again after a failure', async (t) => {
    const cache = new SingleFlightCache<number>(10, () => 1);
    let computed = 0;
    const compute = async (): Promise<number> => {
      computed += 1;
      await turn();
      if (computed === 1) throw new Error('failed');
      return 7;
    };
    const [first, second] = await Promise.allSettled([
      cache.get('k', undefined, compute),
      cache.get('k', undefined, compute),
    ]);
    t.same([first.status, second.status, computed], ['rejected', 'rejected', 1]);
    t.same(await Promise.all([cache.get('k', undefined, compute), cache.get('k', undefined, compute)]), [7, 7]);
    t.equal(await cache.get('k', undefined, compute), 7);
    t.equal(computed, 2);
  });

  await t.test('aborts the computation when the last waiting request is aborted, not before', async (t) => {
    const cache = new SingleFlightCache<number>(10, () => 1);
    const [one, two] = [new AbortController(), new AbortController()];
    let inner: AbortSignal | undefined;
    const compute = (signal: AbortSignal): Promise<number> => {
      inner = signal;
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
      );
    };
    const waiting = [cache.get('k', one.signal, compute), cache.get('k', two.signal, compute)].map((answer) =>
      answer.catch((error: unknown) => (error as Error).message),
    );
    one.abort(new Error('one left'));
    t.equal(await waiting[0], 'one left');
    t.equal(inner?.aborted, false);
    two.abort(new Error('two left'));
    t.equal(await waiting[1], 'two left');
    await turn();
    t.equal(inner?.aborted, true);
    t.equal(await cache.get('k', undefined, async () => 1), 1, 'starts again');
  });
});
