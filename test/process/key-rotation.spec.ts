// Tests of `hexforge rotate-key`, with and without a running server, and killed at random times: every secret setting
// stays readable.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { startTestForge, type TestForge } from '#test/support/forge';
import { safe, secretKeyOf, secrets } from './rotation-child.ts';

const rounds = Number(process.env['HEXFORGE_TEST_CRASHES'] ?? 2);
const keyFiles = (dataDir: string): readonly string[] =>
  readdirSync(dataDir).filter((name) => /^secret\.key(\.\d+)?$/.test(name));
const values = (forge: TestForge): Promise<readonly unknown[]> =>
  Promise.all(
    Array.from({ length: secrets }, (_, index) => forge.forge.port('Settings').get(secretKeyOf(index) as never)),
  );
const expected = Array.from({ length: secrets }, (_, index) => `secret number ${index}`);

const environmentOf = ({ dataDir, databaseUrl }: Pick<TestForge, 'dataDir' | 'databaseUrl'>) => ({
  PATH: process.env['PATH'] ?? '',
  HEXFORGE_DATA_DIR: dataDir,
  HEXFORGE_LOG_LEVEL: 'silent',
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
});

async function hexforge(forge: Pick<TestForge, 'dataDir' | 'databaseUrl'>, ...args: readonly string[]) {
  const program = join(import.meta.dirname, '../../bin/hexforge.js');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: forge.dataDir,
    env: environmentOf(forge),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout };
}

void t.test('a rotation of the secret key', { timeout: 600_000 }, async (t) => {
  const first = await startTestForge(t, { definitions: [safe] });
  const admin = await first.administrator();
  const settings = expected.map((value, index) => ({ key: secretKeyOf(index), value }));
  t.equal((await admin.post('/api/v1/admin/settings', { body: { settings } })).status, 200);
  t.equal(
    (await admin.get('/.well-known/jwks.json')).status,
    200,
    'this request creates a key that signs ID tokens, which is a secret too',
  );

  await t.test('hexforge rotate-key uses the running server, which reseals all secrets', async (t) => {
    const { code, stdout } = await hexforge(first, 'rotate-key');
    t.equal(code, 0);
    t.match(stdout, /^a new key seals from now on/);
    t.match(stdout, new RegExp(`^settings sealed again: ${secrets}$`, 'm'));
    t.match(stdout, /^signing keys sealed again: 1$/m);
    t.strictSame(keyFiles(first.dataDir), ['secret.key', 'secret.key.2']);
    t.strictSame(await values(first), expected);
    t.equal((await admin.get('/api/v1/auth/me')).status, 200, 'sessions remain valid');
  });
  await first.stop();

  await t.test(
    'without a server the command opens the database, and reseals secrets of disabled plugins too',
    async (t) => {
      const { code, stdout } = await hexforge(first, 'rotate-key');
      t.equal(code, 0);
      t.match(stdout, new RegExp(`^settings sealed again: ${secrets}$`, 'm'));
      t.match(stdout, /^signing keys sealed again: 1$/m);
      t.strictSame(keyFiles(first.dataDir), ['secret.key', 'secret.key.2', 'secret.key.3']);
      rmSync(join(first.dataDir, 'secret.key.2'));
    },
  );

  const child = join(import.meta.dirname, 'rotation-child.ts');
  let rotations = keyFiles(first.dataDir).length;
  for (let round = 1; round <= rounds; round += 1)
    await t.test(`killed during a rotation, round ${round}: every setting is readable`, async (t) => {
      const rotating = spawn(process.execPath, [child], {
        cwd: first.dataDir,
        env: environmentOf(first),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(rotating.stdout, 'data');
      while (keyFiles(first.dataDir).length === rotations && rotating.exitCode === null) await pause(1);
      await pause(Math.random() * 400);
      rotating.kill('SIGKILL');
      await once(rotating, 'close');
      t.ok(keyFiles(first.dataDir).length > rotations, 'the rotation had started');
      const forge = await startTestForge(t, { definitions: [safe], after: first });
      t.strictSame(await values(forge), expected);
      rotations = keyFiles(first.dataDir).length;
      await forge.stop();
    });
});
