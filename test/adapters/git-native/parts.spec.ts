// Small parts of the native git adapter: limiter, caches, pkt-lines and parsers.
import { Buffer } from 'node:buffer';
import t from 'tap';
import { parseCommit } from '#adapters/git-native/objects/objects';
import { Tree } from '#adapters/git-native/objects/tree';
import { Limiter } from '#adapters/git-native/process/limiter';
import { Channel } from '#adapters/git-common/push/channel';
import { PushReport } from '#adapters/git-native/push/report';
import { PktLineParser, pktLine } from '#adapters/git-common/transport/pkt-line';
import { Lru } from '#core/kernel/limits/lru';

void t.test('a limiter gives its slots in order and rejects when its queue is full', async (t) => {
  const limiter = new Limiter('reads', { slots: 1, queue: 2 });
  const order: string[] = [];
  const release = await limiter.acquire();
  const second = limiter.acquire().then((done) => {
    order.push('second');
    done();
  });
  const third = limiter.acquire().then((done) => {
    order.push('third');
    done();
  });
  await t.rejects(limiter.acquire(), { name: 'Unavailable', message: /too many git reads/ });
  release();
  release();
  await Promise.all([second, third]);
  t.strictSame(order, ['second', 'third']);
  await limiter.run(async () => undefined);
});

void t.test('an aborted request leaves the queue, and a request aborted before is rejected', async (t) => {
  const limiter = new Limiter('reads', { slots: 1, queue: 1 });
  const release = await limiter.acquire();
  const gone = new AbortController();
  const waiting = limiter.acquire(gone.signal);
  gone.abort(new Error('gone'));
  await t.rejects(waiting, /gone/);
  await t.rejects(limiter.acquire(gone.signal), /gone/);
  const next = limiter.acquire();
  release();
  (await next)();
});

void t.test('a cache evicts the least recently used entries by weight, and forgets by prefix', (t) => {
  const cache = new Lru<number>(3);
  cache.set('a:1', 1);
  cache.set('a:2', 2);
  cache.set('b:1', 3);
  t.equal(cache.get('a:1'), 1);
  cache.set('b:2', 4);
  t.equal(cache.get('a:2'), undefined);
  cache.forget('b:');
  t.strictSame([cache.get('a:1'), cache.get('b:1'), cache.get('b:2')], [1, undefined, undefined]);
  cache.set('heavy', 5, 4);
  t.equal(cache.get('heavy'), undefined);
  cache.set('a:1', 6, 3);
  t.equal(cache.get('a:1'), 6);
  t.end();
});

void t.test('packets are parsed the same in pieces of any size', (t) => {
  const bytes = Buffer.concat([
    pktLine('one\n'),
    Buffer.from('0000'),
    pktLine('zwei ä'),
    Buffer.from('0001'),
    Buffer.from('0004'),
    Buffer.from('0002'),
    Buffer.from('00'),
  ]);
  for (const size of [1, 3, 7, bytes.length]) {
    const parser = new PktLineParser();
    const seen: string[] = [];
    for (let at = 0; at < bytes.length; at += size)
      for (const found of parser.parse(bytes.subarray(at, at + size)))
        seen.push(`${found.kind}:${found.payload.toString()}`);
    t.strictSame(seen, ['data:one\n', 'flush:', 'data:zwei ä', 'delimiter:', 'data:', 'end:']);
    t.equal(parser.rest.toString(), '00');
  }
  t.throws(() => [...new PktLineParser().parse(Buffer.from('fff1'))], { name: 'ValidationFailed' });
  t.throws(() => [...new PktLineParser().parse(Buffer.from('-001'))], { name: 'ValidationFailed' });
  t.end();
});

void t.test('a report cut anywhere is withheld while progress passes', (t) => {
  const inner = Buffer.concat([
    pktLine('unpack ok\n'),
    pktLine('ok refs/heads/a\n'),
    pktLine('ng refs/heads/b hook declined\n'),
    pktLine('ok refs/heads/ü\n'),
    Buffer.from('0000'),
  ]);
  const band = (number: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from((bytes.length + 5).toString(16).padStart(4, '0')), Buffer.from([number]), bytes]);
  const progress = band(2, Buffer.from('Resolving\r'));
  const whole = Buffer.concat([
    progress,
    band(1, inner.subarray(0, 20)),
    progress,
    band(1, inner.subarray(20)),
    Buffer.from('0000'),
  ]);
  for (const size of [1, 11, whole.length]) {
    const report = new PushReport(true);
    const passed: Buffer[] = [];
    for (let at = 0; at < whole.length; at += size) passed.push(...report.take(whole.subarray(at, at + size)));
    t.ok(Buffer.concat(passed).equals(Buffer.concat([progress, progress])));
    t.ok(
      report.held.equals(
        Buffer.concat([band(1, inner.subarray(0, 20)), band(1, inner.subarray(20)), Buffer.from('0000')]),
      ),
    );
    t.equal(report.complete, true);
    t.strictSame([...report.accepted], ['refs/heads/a', 'refs/heads/ü']);
  }
  const cut = new PushReport(false);
  cut.take(inner.subarray(0, -4));
  t.equal(cut.complete, false);
  const unasked = new PushReport(false);
  unasked.take(whole);
  t.equal(unasked.complete, false, 'a report in another form than requested is not complete');
  t.end();
});

void t.test('a channel applies backpressure, and ignores writes after its reader has left', async (t) => {
  let left = 0;
  const channel = new Channel(4, async () => void (left += 1));
  await channel.push(Buffer.from('1234'));
  let written = false;
  const writing = channel.push(Buffer.from('5')).then(() => {
    written = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(written, false);
  t.equal(Buffer.from((await channel.next()).value as Uint8Array).toString(), '1234');
  await writing;
  await channel.return();
  t.equal(left, 1);
  await channel.push(Buffer.alloc(100));
  channel.fail(new Error('broken'));
  await t.rejects(channel.next(), /broken/);
  t.strictSame(await channel.next(), { done: true, value: undefined });
});

void t.test('parses commits without a message, and trees with old modes', (t) => {
  const head = `tree ${'1'.repeat(40)}\nparent ${'2'.repeat(40)}\nparent ${'3'.repeat(40)}\nauthor A > B <a@b> 5 +0000\ncommitter C <c@d> 1234567890 -0700\n`;
  t.strictSame(parseCommit('4'.repeat(40), Buffer.from(`${head}\nmessage`)), {
    oid: '4'.repeat(40),
    tree: '1'.repeat(40),
    parents: ['2'.repeat(40), '3'.repeat(40)],
    committed: 1_234_567_890,
  });
  const far = Buffer.from(`${head}gpgsig x\n${' \n'.repeat(200_000)}\nmessage`);
  t.match(
    parseCommit('4'.repeat(40), far),
    { committed: 1_234_567_890 },
    'the end of long headers is not searched for',
  );
  const oid = Buffer.alloc(20, 7);
  const tree = new Tree(
    Buffer.concat([
      Buffer.from('100664 a\0'),
      oid,
      Buffer.from('40000 b\0'),
      oid,
      Buffer.from('100755 c\0'),
      oid,
      Buffer.from('100644 cut'),
    ]),
  );
  t.strictSame(
    tree.first().entries.map(({ name, mode }) => `${name} ${mode}`),
    ['a 100644', 'b 040000', 'c 100755'],
  );
  t.end();
});
