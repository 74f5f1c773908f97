// The data directory, its marker and its key: private, created once, and rejected by older software.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { openDataDirectory } from '#host/storage/data-directory';
import { createOnce, replaceFile } from '#host/storage/atomic-files';
import { Refused, type Problem } from '#host/problems/problem';
import { SecretKeys } from '#host/storage/secret-key';

const run = promisify(execFile);
const mode = (path: string): number => statSync(path).mode & 0o777;
const now = new Date('2026-01-02T03:04:05Z');

function refusal(work: () => unknown): Problem | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Refused) return error.problems[0];
    throw error;
  }
  return undefined;
}

void t.test('a missing directory is created for its owner only, with its marker', async (t) => {
  const path = join(t.testdir(), 'deep', 'data');
  openDataDirectory(path, { version: '1.2.3', now });
  t.equal(mode(path), 0o700);
  t.equal(mode(join(path, 'hexforge.json')), 0o600);
  t.strictSame(JSON.parse(readFileSync(join(path, 'hexforge.json'), 'utf8')), {
    version: '1.2.3',
    createdAt: '2026-01-02T03:04:05.000Z',
  });
  t.strictSame(readdirSync(path), ['hexforge.json'], 'no temporary file is left');
});

void t.test(
  'a newer version takes over the directory and keeps its creation time; an older one is rejected with both versions',
  async (t) => {
    const path = join(t.testdir(), 'data');
    openDataDirectory(path, { version: '1.2.3', now });
    openDataDirectory(path, { version: '1.10.0', now: new Date(0) });
    t.strictSame(JSON.parse(readFileSync(join(path, 'hexforge.json'), 'utf8')), {
      version: '1.10.0',
      createdAt: '2026-01-02T03:04:05.000Z',
    });
    t.match(
      refusal(() => openDataDirectory(path, { version: '1.9.0', now })),
      {
        code: 'data_directory_newer',
        message: `The data directory ${path} was written by Hexforge 1.10.0, which is newer than this 1.9.0`,
        remedy: 'Run Hexforge 1.10.0 or later, or restore a backup made with 1.9.0',
      },
    );
  },
);

void t.test('a directory that cannot be written is rejected', async (t) => {
  const folder = t.testdir({ file: '' });
  t.match(
    refusal(() => openDataDirectory(join(folder, 'file', 'data'), { version: '1.0.0', now })),
    {
      code: 'data_directory_unwritable',
      message: `The data directory ${join(folder, 'file', 'data')} cannot be written (ENOTDIR)`,
    },
  );
  t.match(
    refusal(() => openDataDirectory('/proc/hexforge', { version: '1.0.0', now })),
    { code: 'data_directory_unwritable' },
  );
});

void t.test('an empty directory is closed to others; a foreign one that others may read is rejected', async (t) => {
  const folder = t.testdir({ empty: {}, foreign: { 'holiday.jpg': '' } });
  chmodSync(join(folder, 'empty'), 0o755);
  chmodSync(join(folder, 'foreign'), 0o755);
  openDataDirectory(join(folder, 'empty'), { version: '1.0.0', now });
  t.equal(mode(join(folder, 'empty')), 0o700);
  t.match(
    refusal(() => openDataDirectory(join(folder, 'foreign'), { version: '1.0.0', now })),
    { code: 'data_directory_foreign' },
  );
  t.equal(mode(join(folder, 'foreign')), 0o755, 'its mode is unchanged');
});

void t.test('a damaged marker is rejected', async (t) => {
  for (const text of ['', '{', 'null', '{"version":"one","createdAt":"x"}']) {
    const path = t.testdir({ 'hexforge.json': text });
    t.match(
      refusal(() => openDataDirectory(path, { version: '1.0.0', now })),
      { code: 'data_directory_marker' },
      JSON.stringify(text),
    );
  }
});

void t.test('a file is created atomically once, and its first content is kept', async (t) => {
  const path = join(t.testdir(), 'once');
  t.equal(createOnce(path, 'first'), true);
  t.equal(createOnce(path, 'second'), false);
  t.equal(readFileSync(path, 'utf8'), 'first');
  t.equal(mode(path), 0o600);
  replaceFile(path, 'third');
  t.equal(readFileSync(path, 'utf8'), 'third');
  t.strictSame(readdirSync(join(path, '..')), ['once']);
});

void t.test('a file that does not fit on the disk is neither created nor left as a draft', async (t) => {
  const path = t.testdir({ folder: { 'in-the-way': '' } });
  // The file is created, but the disk accepts only sixteen bytes.
  const module = new URL('../../../host/storage/atomic-files.ts', import.meta.url).href;
  const program = `import * as files from ${JSON.stringify(module)};
    for (const [name, write] of Object.entries(files).filter(([name]) => /Once|replace/.test(name)))
      try { write(${JSON.stringify(path)} + '/' + name, 'x'.repeat(44)); } catch (error) { console.log(name, error.code); }`;
  const { stdout } = await run('prlimit', ['--fsize=16', process.execPath, '--input-type=module', '--eval', program], {
    env: {},
  });
  t.equal(stdout, 'createOnce EFBIG\nreplaceFile EFBIG\n');
  t.throws(() => replaceFile(join(path, 'folder'), 'text'), { code: 'EISDIR' });
  t.strictSame(readdirSync(path), ['folder']);
});

void t.test(
  'a start removes drafts of keys left by earlier starts, and no file that may belong to something else',
  async (t) => {
    const draft = (name: string): string => `${name}.0123456789ab.new`;
    const kept = [
      draft('secret.key.2'),
      draft('secret.key.x'),
      'secret.key.0123456789ab.new.bak',
      draft('hexforge.json'),
    ];
    const path = t.testdir(Object.fromEntries([...kept, draft('secret.key')].map((name) => [name, ''])));
    const made = new SecretKeys(path, undefined);
    t.strictSame(readdirSync(path).toSorted(), [...kept, 'secret.key'].toSorted());
    made.rotate();
    t.strictSame(new SecretKeys(path, undefined).all(), made.all());
    t.notOk(readdirSync(path).includes(draft('secret.key.2')), 'once its key exists');
  },
);

void t.test('concurrent creators of a file learn that it exists, also while another removes its draft', async (t) => {
  const path = join(t.testdir(), 'once');
  const module = new URL('../../../host/storage/atomic-files.ts', import.meta.url).href;
  const program = `import { createOnce, removeDrafts } from ${JSON.stringify(module)};
    const made = [];
    for (let n = 0; n < 300; n += 1) {
      const path = ${JSON.stringify(path)} + n;
      if (createOnce(path, 'x')) made.push(n);
      removeDrafts(path);
    }
    console.log(made.join(' '));`;
  const all = await Promise.all(
    Array.from({ length: 3 }, () => run(process.execPath, ['--input-type=module', '--eval', program])),
  );
  const made = all.flatMap(({ stdout }) =>
    stdout
      .trim()
      .split(' ')
      .filter((n) => n !== '')
      .map(Number),
  );
  t.strictSame(
    made.toSorted((a, b) => a - b),
    Array.from({ length: 300 }, (_, n) => n),
  );
  t.equal(readdirSync(join(path, '..')).length, 300);
});

void t.test('processes that start together get the same key', async (t) => {
  const path = t.testdir();
  const module = new URL('../../../host/storage/secret-key.ts', import.meta.url).href;
  const program = `import { SecretKeys } from ${JSON.stringify(module)}; process.stdout.write(Buffer.from(new SecretKeys(${JSON.stringify(path)}, undefined).all()[0]).toString('hex'));`;
  const keys = await Promise.all(
    Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '--eval', program])),
  );
  t.equal(new Set(keys.map(({ stdout }) => stdout)).size, 1);
  t.match(keys[0]?.stdout, /^[0-9a-f]{64}$/);
  t.equal(mode(join(path, 'secret.key')), 0o600);
  t.strictSame(readdirSync(path), ['secret.key']);
});

void t.test('a rotation adds a key at the front; two concurrent rotations add one, and a reload finds it', (t) => {
  const path = t.testdir();
  const [one, other] = [new SecretKeys(path, undefined), new SecretKeys(path, undefined)];
  const [first] = one.all();
  one.rotate();
  t.equal(one.all().length, 2);
  t.equal(one.all()[1], first);
  t.strictSame(other.all(), [first], 'not reloaded yet');
  other.reload();
  t.strictSame(other.all(), one.all());
  for (let round = 0; round < 10; round += 1) other.rotate();
  t.strictSame(new SecretKeys(path, undefined).all(), other.all(), 'the eleventh is ordered before the second');
  t.equal(other.all().length, 12);
  t.equal(mode(join(path, 'secret.key.12')), 0o600);
  rmSync(join(path, 'secret.key'));
  t.strictSame(new SecretKeys(path, undefined).all(), other.all().slice(0, -1), 'an old key may be removed');
  t.end();
});

void t.test('a configured key needs no file; a damaged or exposed file is rejected', async (t) => {
  const path = t.testdir();
  const key = new Uint8Array(32).fill(7);
  const configured = new SecretKeys(path, [key]);
  t.equal(configured.all()[0], key);
  t.equal(configured.configured, true);
  t.throws(() => configured.rotate(), 'configured keys can only be changed by the operator');
  t.strictSame(readdirSync(path), []);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'secret.key'), 'c2hvcnQ=', { mode: 0o600 });
  t.match(
    refusal(() => new SecretKeys(path, undefined)),
    { code: 'secret_key_damaged' },
  );
  chmodSync(join(path, 'secret.key'), 0o644);
  t.match(
    refusal(() => new SecretKeys(path, undefined)),
    { code: 'secret_key_exposed', remedy: `Run chmod 600 ${join(path, 'secret.key')}` },
  );
});
