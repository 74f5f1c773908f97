// Refs read from files: which files git lists and ignores, and lists made while refs are packed, moved or removed.
import { readdirSync } from 'node:fs';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative } from '#adapters/git-native/index';
import type { GitBackend } from '#core/repositories/index';
import { must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { quiet } from '../provider.ts';

const id = '00000000-0000-4000-8000-000000000001';

interface Opened {
  readonly native: GitBackend;
  readonly directory: string;
  /** Two commits without parents. */
  readonly one: string;
  readonly two: string;
  readonly run: (...args: readonly string[]) => Promise<string>;
  /** Writes a file of the repository, with its folders. */
  readonly put: (name: string, text: string) => Promise<void>;
}

async function opened(t: Test): Promise<Opened> {
  const root = join(await temporaryFolder(t), 'root');
  const native = gitNative({ root, log: quiet });
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  const directory = join(root, id.slice(0, 2), `${id}.git`);
  const run = async (...args: readonly string[]): Promise<string> =>
    await must('/', [`--git-dir=${directory}`, ...args]);
  const tree = await must('/', [`--git-dir=${directory}`, 'mktree'], { input: '' });
  const [one, two] = [await run('commit-tree', '-m', 'one', tree), await run('commit-tree', '-m', 'two', tree)];
  await run('update-ref', 'refs/heads/main', one);
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  };
  return { native, directory, one, two, run, put };
}

/** `<oid> <name>` of each ref, as listed by the forge and by git. */
const listed = async ({ native }: Opened): Promise<readonly string[]> =>
  (await native.refs(id, 'all')).map(({ oid, name }) => `${oid} ${name}`);
const gitLists = async ({ run }: Opened): Promise<readonly string[]> =>
  (await run('for-each-ref', '--format=%(objectname) %(refname)')).split('\n');

void t.test('loose refs override packed ones, in sorted order', async (t) => {
  const made = await opened(t);
  const { run, one, two } = made;
  for (const name of [
    'heads/a',
    'heads/a-b',
    'heads/deep/er/x',
    'heads/\u{FF21}',
    'heads/\u{1F600}',
    'heads/ü',
    'tags/v1',
    'notes/n',
  ])
    await run('update-ref', `refs/${name}`, one);
  await run('pack-refs', '--all');
  await run('update-ref', 'refs/heads/a', two);
  await run('update-ref', 'refs/heads/a.b', two);
  await run('update-ref', 'refs/heads/\u{FF22}', two);
  await run('update-ref', 'refs/heads/\u{1F601}', two);
  await run('update-ref', '-d', 'refs/heads/deep/er/x');
  const expected = [
    `${two} refs/heads/a`,
    `${one} refs/heads/a-b`,
    `${two} refs/heads/a.b`,
    `${one} refs/heads/main`,
    `${one} refs/heads/ü`,
    `${one} refs/heads/\u{FF21}`,
    `${two} refs/heads/\u{FF22}`,
    `${one} refs/heads/\u{1F600}`,
    `${two} refs/heads/\u{1F601}`,
    `${one} refs/notes/n`,
    `${one} refs/tags/v1`,
  ];
  t.strictSame(await listed(made), expected);
  t.strictSame(await gitLists(made), expected);
});

void t.test('files that are not refs and broken refs are ignored as by git', async (t) => {
  const made = await opened(t);
  const { native, run, put, directory, one, two } = made;
  for (const name of ['emptied', 'garbled']) await run('update-ref', `refs/heads/${name}`, one);
  await run('pack-refs', '--all');
  await put('refs/heads/emptied', '');
  await put('refs/heads/garbled', `${one.slice(0, 39)}\n`);
  await put('refs/heads/zero', `${'0'.repeat(40)}\n`);
  await put('refs/heads/long', `${one}a\n`);
  await put('refs/heads/early', ` ${one}\n`);
  await put('refs/heads/upwards', 'ref: refs/../config\n');
  await put('refs/heads/x.lock', `${one}\n`);
  await put('refs/heads/locked.lock/y', `${one}\n`);
  await put('refs/heads/.hidden', `${one}\n`);
  await put('refs/heads/.hid/den', `${one}\n`);
  await put('refs/heads/sp ace', `${one}\n`);
  await put('refs/heads/dots..dots', `${one}\n`);
  await mkdir(join(directory, 'refs/heads/left/empty'), { recursive: true });
  await symlink('nowhere', join(directory, 'refs/heads/dangling'));
  await symlink('circle', join(directory, 'refs/heads/circle'));
  await put('refs/heads/more', `${two} and what git wrote once\n`);
  const expected = [`${one} refs/heads/main`, `${two} refs/heads/more`];
  t.strictSame(await gitLists(made), expected);
  t.strictSame(await listed(made), expected);
  t.strictSame(
    await native.readRefs(id, ['refs/heads/emptied', 'refs/heads/garbled', 'refs/heads/more']),
    ['0'.repeat(40), '0'.repeat(40), two],
    'they are not read by name either',
  );
});

void t.test('a ref whose name is not UTF-8 is not listed and cannot be named', async (t) => {
  const made = await opened(t);
  const { native, run, directory, one, two } = made;
  const bytes = (name: string): Buffer => Buffer.from(`${directory}/refs/heads/${name}`, 'latin1');
  const left = [`${two} refs/heads/b\uFFFD`, `${one} refs/heads/main`];
  await mkdir(bytes('folder\xff'));
  for (const name of ['a\xff', 'b\xff', 'folder\xff/x']) await writeFile(bytes(name), `${one}\n`);
  await writeFile(bytes('alias'), Buffer.from('ref: refs/heads/a\xff\n', 'latin1'));
  await run('update-ref', 'refs/heads/b\uFFFD', two);
  for (const packed of [false, true]) {
    if (packed) await run('pack-refs', '--all');
    t.strictSame(await listed(made), left, packed ? 'packed' : 'loose');
    t.strictSame(
      await native.readRefs(id, ['refs/heads/a\uFFFD', 'refs/heads/b\uFFFD', 'refs/heads/b\ud800', 'refs/heads/alias']),
      ['0'.repeat(40), two, '0'.repeat(40), '0'.repeat(40)],
    );
    t.equal(await native.resolveCommit(id, 'a\uFFFD'), undefined);
    t.equal(await native.resolveCommit(id, 'folder\uFFFD/x'), undefined);
  }
});

void t.test('a symbolic ref is listed with the commit of its target, and omitted without one', async (t) => {
  const made = await opened(t);
  const { run, put, one, two } = made;
  await run('update-ref', 'refs/heads/à', two);
  await run('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  await run('symbolic-ref', 'refs/heads/further', 'refs/heads/alias');
  await run('symbolic-ref', 'refs/heads/accented', 'refs/heads/à');
  await run('symbolic-ref', 'refs/heads/dangling', 'refs/heads/nothing');
  await run('symbolic-ref', 'refs/heads/self', 'refs/heads/self');
  await put('refs/heads/here', 'ref: refs/heads/there\n');
  await put('refs/heads/there', 'ref: refs/heads/here\n');
  const expected = [
    `${two} refs/heads/accented`,
    `${one} refs/heads/alias`,
    `${one} refs/heads/further`,
    `${one} refs/heads/main`,
    `${two} refs/heads/à`,
  ];
  t.strictSame(await gitLists(made), expected);
  t.strictSame(await listed(made), expected);
  await run('pack-refs', '--all');
  t.strictSame(await listed(made), expected, 'also if its target is packed');
});

void t.test("the forge's own refs are not listed, loose or packed", async (t) => {
  const made = await opened(t);
  const { run, one } = made;
  await run('update-ref', 'refs/hexforge/pulls/1', one);
  await run('update-ref', 'refs/hexforges', one);
  t.strictSame(await listed(made), [`${one} refs/heads/main`, `${one} refs/hexforges`]);
  await run('pack-refs', '--all');
  t.strictSame(await listed(made), [`${one} refs/heads/main`, `${one} refs/hexforges`]);
});

void t.test('a ref whose object is missing is listed', async (t) => {
  const made = await opened(t);
  await made.put('refs/heads/lost', `${'a'.repeat(40)}\n`);
  await made.put('refs/tags/lost', `${'a'.repeat(40)}\n`);
  t.strictSame(await made.native.refs(id, 'all'), [
    { name: 'refs/heads/lost', oid: 'a'.repeat(40) },
    { name: 'refs/heads/main', oid: made.one },
    { name: 'refs/tags/lost', oid: 'a'.repeat(40) },
  ]);
});

void t.test('peeled tags are taken from packed-refs only if git wrote them', async (t) => {
  const { native, run, put, one } = await opened(t);
  await run('-c', 'user.name=A', '-c', 'user.email=a@b', 'tag', '-a', '-m', 'x', 'v1', one);
  await run('tag', 'light', one);
  await run('pack-refs', '--all');
  const tag = await run('rev-parse', 'refs/tags/v1');
  const expected = [
    { name: 'refs/tags/light', oid: one },
    { name: 'refs/tags/v1', oid: tag, peeled: one },
  ];
  t.strictSame(await native.refs(id, 'tags'), expected);
  for (const header of ['# pack-refs with: peeled \n', '']) {
    await put('packed-refs', `${header}${tag} refs/tags/v1\n${one} refs/tags/light\n`);
    t.strictSame(await native.refs(id, 'tags'), expected, header === '' ? 'without a header, and unsorted' : header);
  }
});

void t.test('12. an unchanged ref file is not read again, a replaced one is', async (t) => {
  const { native, directory, put, one, two } = await opened(t);
  const main = join(directory, 'refs/heads/main');
  const before = new Date(Date.now() - 10_000);
  const reads = async (expected: string | undefined, why: string): Promise<void> => {
    t.equal(await native.resolveCommit(id, 'main'), expected, why);
  };
  await utimes(main, before, before);
  await reads(one, 'as it is');
  // git never writes into a ref file, so this change is not detected.
  await writeFile(main, `${two}\n`);
  await utimes(main, before, before);
  await reads(one, 'as it was read');
  await put('refs/heads/other', `${two}\n`);
  await utimes(join(directory, 'refs/heads/other'), before, before);
  await rename(join(directory, 'refs/heads/other'), main);
  await reads(two, 'another file');
  await put('refs/heads/main', `${one}\n`);
  await reads(one, 'another time');
  await put('refs/heads/main', `${two}\n`);
  await reads(two, 'within the tick of a clock');
  await rm(main);
  await reads(undefined, 'none');
});

void t.test('packed refs written twice within one clock tick are read twice', async (t) => {
  const made = await opened(t);
  const { put, directory, one, two } = made;
  await rm(join(directory, 'refs/heads/main'));
  // Ahead of the clock, so it counts as just written.
  const soon = new Date(Date.now() + 10_000);
  for (const oid of [one, two]) {
    await put('packed-refs', `${oid} refs/heads/main\n`);
    await utimes(join(directory, 'packed-refs'), soon, soon);
    t.strictSame(await listed(made), [`${oid} refs/heads/main`]);
  }
});

/** The result of `work`, and the maximum of additionally open files of this process during it. */
async function watched<T>(work: () => Promise<T>): Promise<{ readonly given: T; readonly files: number }> {
  const openNow = (): number => readdirSync('/proc/self/fd').length;
  const before = openNow();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, openNow());
  }, 1);
  try {
    const given = await work();
    return { given, files: most - before };
  } finally {
    clearInterval(watch);
  }
}

void t.test('1,000 loose refs, listed or read by name concurrently, open few files at a time', async (t) => {
  const made = await opened(t);
  const { native, directory, one } = made;
  const input = Array.from({ length: 1000 }, (_, number) => `create refs/heads/n${number} ${one}\n`).join('');
  await must('/', [`--git-dir=${directory}`, 'update-ref', '--stdin'], { input });
  const expected = await gitLists(made);
  t.equal(expected.length, 1001);
  const names = Array.from({ length: 1000 }, (_, number) => `refs/heads/n${number}`);
  const named = await watched(() => native.readRefs(id, ['refs/heads/none', ...names]));
  t.strictSame(named.given, ['0'.repeat(40), ...names.map(() => one)]);
  t.ok(named.files > 0 && named.files < 16 + 32, `${named.files} files`);
  const { given: lists, files } = await watched(() =>
    Promise.all(Array.from({ length: 40 }, () => native.refs(id, 'branches'))),
  );
  for (const refs of lists)
    t.strictSame(
      refs.map(({ name, oid }) => `${oid} ${name}`),
      expected,
    );
  // Eight lists of sixteen files, and other files of the process.
  t.ok(files > 0 && files < 8 * 16 + 32, `${files} files`);
});

void t.test(
  'lists made while refs are packed, made and moved miss no ref and have no outdated value',
  { timeout: 120_000 },
  async (t) => {
    const { native, directory, run, one, two } = await opened(t);
    const transaction = (lines: readonly string[]): Promise<string> =>
      must('/', [`--git-dir=${directory}`, 'update-ref', '--stdin'], { input: lines.join('') });
    // Each of them is sometimes loose and sometimes packed, and always exists.
    const still = Array.from({ length: 300 }, (_, number) => `refs/heads/still/${number}`);
    const moving = 'refs/heads/moving';
    const tree = await run('rev-parse', `${one}^{tree}`);
    const values = [one, two];
    for (let number = 2; number < 100; number += 1)
      values.push(await run('commit-tree', '-m', `number ${number}`, tree));
    await transaction([moving, ...still].map((name) => `create ${name} ${one}\n`));
    /**
     * Indexes in `values` of the last completed move of `moving` and of the move in progress. A branch is made with
     * each.
     */
    let [landed, begun] = [0, 0];
    let over = false;
    const pack = async (): Promise<void> => {
      for (let turn = 1; !over; turn += 1) {
        await run('pack-refs', '--all');
        if (turn % 8 === 0) await transaction(still.map((name) => `update ${name} ${turn % 16 === 0 ? one : two}\n`));
      }
    };
    const move = async (): Promise<void> => {
      for (const [index, oid] of values.entries()) {
        if (index === 0) continue;
        begun = index;
        await transaction([`update ${moving} ${oid}\n`, `create refs/heads/made/${index} ${oid}\n`]);
        landed = index;
      }
      over = true;
    };
    const wrong: string[] = [];
    let lists = 0;
    const list = async (): Promise<void> => {
      while (!over) {
        const least = landed;
        const refs = new Map((await native.refs(id, 'branches')).map(({ name, oid }) => [name, oid]));
        lists += 1;
        const made = Array.from({ length: least }, (_, index) => `refs/heads/made/${index + 1}`);
        wrong.push(...[...still, ...made].filter((name) => !refs.has(name)).map((name) => `${name} is missing`));
        const at = values.indexOf(refs.get(moving) ?? '');
        if (at < least || at > begun) wrong.push(`moving is at ${at}, was at ${least} before`);
      }
    };
    await Promise.all([pack(), move(), list(), list()]);
    t.strictSame(wrong, []);
    t.ok(lists > 10, `${lists} lists`);
  },
);

void t.test(
  'a list made while another process removes the repository is complete, or rejects with NotFound',
  async (t) => {
    const made = await opened(t);
    const { native, directory, one, run } = made;
    const elsewhere = `${directory}.elsewhere`;
    const input = Array.from(
      { length: 60 },
      (_, number) => `create refs/heads/f${number % 10}/n${number} ${one}\n`,
    ).join('');
    await must('/', [`--git-dir=${directory}`, 'update-ref', '--stdin'], { input });
    for (const packed of [false, true]) {
      if (packed) {
        await run('pack-refs', '--all');
        await must('/', [`--git-dir=${directory}`, 'update-ref', '--stdin'], {
          input: Array.from({ length: 30 }, (_, number) => `create refs/heads/g/n${number} ${one}\n`).join(''),
        });
      }
      const whole = packed ? 91 : 61;
      const outcomes = new Set<unknown>();
      const list = async (): Promise<unknown> =>
        await native.refs(id, 'branches').then(
          (refs) => refs.length,
          (error: unknown) => (error as Error).name,
        );
      outcomes.add(await list());
      for (let turns = 0; turns < 100; turns += 1) {
        const listing = list();
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        await rename(directory, elsewhere);
        outcomes.add(await listing);
        outcomes.add(await list());
        await rename(elsewhere, directory);
      }
      t.strictSame(outcomes, new Set<unknown>(['NotFound', whole]), packed ? 'packed' : 'loose');
    }
  },
);
