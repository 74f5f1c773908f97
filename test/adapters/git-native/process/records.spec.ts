// Records split from a stream, and trees parsed in place.
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import t from 'tap';
import { Tree } from '#adapters/git-native/objects/tree';
import { RecordReader } from '#adapters/git-native/process/records';
import { PktLineParser } from '#adapters/git-common/transport/pkt-line';
import { temporaryFolder } from '#test/support/folder';

const oid = '7'.repeat(40);
const newline = 0x0a;

void t.test('records are split the same in pieces of any size', (t) => {
  const bytes = Buffer.from('one\n\nzwei ä\nthree\nrest');
  for (const size of [1, 2, 5, bytes.length]) {
    const reader = new RecordReader(100);
    const seen: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      reader.push(bytes.subarray(at, at + size));
      for (let record = reader.next(newline); record !== undefined; record = reader.next(newline))
        seen.push(record.toString());
    }
    t.strictSame(seen, ['one', '', 'zwei ä', 'three'], `pieces of ${size}`);
    t.equal(reader.rest().toString(), 'rest');
  }
  t.end();
});

void t.test('only the beginning of a record that is too long is kept, and `cut` is set', (t) => {
  for (const size of [3, 1000]) {
    const reader = new RecordReader(10);
    const bytes = Buffer.from(`${'x'.repeat(500)}\nshort\n`);
    const seen: [string, boolean][] = [];
    for (let at = 0; at < bytes.length; at += size) {
      reader.push(bytes.subarray(at, at + size));
      t.ok(reader.rest().length <= Math.max(10, size) + size);
      for (let record = reader.next(newline); record !== undefined; record = reader.next(newline))
        seen.push([record.toString(), reader.cut]);
    }
    t.strictSame(seen, [
      ['x'.repeat(10), true],
      ['short', false],
    ]);
  }
  t.end();
});

void t.test('bytes that arrive one by one are joined once per record', (t) => {
  const { concat } = Buffer;
  let copied = 0;
  Buffer.concat = (list, length) => {
    const joined = concat(list, length);
    copied += joined.length;
    return joined;
  };
  try {
    const records = new RecordReader(100_000);
    for (let count = 0; count < 20_000; count += 1) {
      records.push(Buffer.from('x'));
      records.next(newline);
    }
    records.push(Buffer.from('\n'));
    t.equal(records.next(newline)?.length, 20_000);
    const packet = Buffer.from(`4e20${'x'.repeat(19_996)}`);
    const packets = new PktLineParser();
    let found = 0;
    for (const byte of packet) found += [...packets.parse(Buffer.of(byte))].length;
    t.equal(found, 1);
  } finally {
    Buffer.concat = concat;
  }
  t.ok(copied < 100_000, `${copied} bytes were copied for 40,000`);
  t.end();
});

/** A tree object as git writes it, with the entries in the given order. */
const treeOf = (entries: readonly (readonly [string, string])[]): Tree =>
  new Tree(
    Buffer.concat(
      entries.map(([mode, name]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])),
    ),
  );

void t.test('a folder of 400,000 entries is listed up to the limit, and a file in it is found', async (t) => {
  const names = Array.from({ length: 400_000 }, (_, index) => `f${String(index).padStart(6, '0')}`);
  const tree = treeOf(names.map((name) => ['100644', name] as const));
  const { entries, truncated } = tree.first();
  t.same([entries.length, truncated, entries.at(-1)?.name], [10_000, true, 'f009999']);
  t.same(await tree.find('f399999'), { mode: '100644', oid });
  t.equal(await tree.find('f40000'), undefined);
  const long = treeOf([
    ['100644', 'a'],
    ['100644', 'b'.repeat(5000)],
    ['100644', 'c'],
  ]).first();
  t.same(
    [long.entries.map(({ name }) => name), long.truncated],
    [['a', 'c'], true],
    'an entry whose name is too long is omitted',
  );
  t.ok(
    treeOf(names.slice(0, 1000).map((name) => ['40000', name.padEnd(4000, 'x')] as const)).first().entries.length < 600,
  );
});

void t.test('setting or removing an entry gives the tree that git makes', async (t) => {
  const folder = await temporaryFolder(t);
  const git = (args: readonly string[], input = ''): Buffer => execFileSync('git', ['-C', folder, ...args], { input });
  git(['init', '-q', '--bare', '.']);
  const contentOf = (entries: ReadonlyMap<string, string>): Buffer => {
    const lines = [...entries].map(([name, mode]) => `${mode} ${mode === '40000' ? 'tree' : 'blob'} ${oid}\t${name}\n`);
    return git(['cat-file', 'tree', git(['mktree', '--missing'], lines.join('')).toString().trim()]);
  };
  const start = new Map([
    ['a', '40000'],
    ['a-b', '100644'],
    ['a.b', '100755'],
    ['b', '100644'],
    ['ü', '120000'],
  ]);
  const tree = new Tree(contentOf(start));
  for (const [name, mode] of [
    ['a', '100644'],
    ['a', '40000'],
    ['a0', '40000'],
    ['A', '100644'],
    ['zz', '100644'],
    ['a-b', '40000'],
    ['b', undefined],
    ['ü', undefined],
    ['a', undefined],
    ['none', undefined],
  ] as const) {
    const expected = new Map(start);
    if (mode === undefined) expected.delete(name);
    else expected.set(name, mode);
    const entry = mode === undefined ? undefined : { mode: mode.padStart(6, '0'), oid };
    t.equal(tree.with(name, entry).toString('hex'), contentOf(expected).toString('hex'), `${name} ${mode}`);
  }
  t.same(await tree.find('ü'), { mode: '120000', oid });
  t.equal(new Tree(Buffer.alloc(0)).with('x', undefined).length, 0);
});
