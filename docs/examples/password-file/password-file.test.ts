// Tests the password file: who can sign in with its passwords, and the contract of the port.
import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { checkPlugin, testHost } from 'hexforge/testing';
import { contracts } from 'hexforge/testing/contracts';
import { lineOf, personOf } from './people.ts';
import plugin from './plugin.ts';

const folder = await mkdtemp(join(tmpdir(), 'password-file-'));
after(() => rm(folder, { recursive: true }));
const file = join(folder, 'people');
const [ada, eve] = [
  { username: 'ada', password: 'analytical engine' },
  { username: 'eve', password: 'apple of knowledge' },
] as const;
const lines = await Promise.all([ada, eve].map(({ username, password }) => lineOf(username, password)));
await writeFile(file, `# people\n${lines.join('\n')}\n`);

void test('nothing is wrong with the definition', () => {
  assert.deepEqual(checkPlugin(plugin, { config: { 'password-file': { file } } }), []);
});

const directory = {
  check: async (username: string, password: string) => {
    const found = await personOf(file, username, password);
    return found === undefined ? undefined : { username: found };
  },
};
for (const { name, run } of contracts.PasswordDirectory(() => ({ directory, people: [ada, eve] })))
  void test(name, run);

void test('a person of the file signs in to their account; a stranger and a wrong password do not', async () => {
  await using forge = await testHost(plugin, { config: { 'password-file': { file } }, users: ['ada'] });
  const signIn = async (username: string, password: string): Promise<number> =>
    (await forge.anonymous.post('/auth/login', { json: { username, password } })).status;
  assert.equal(await signIn('Ada', ada.password), 200);
  assert.equal(await signIn('ada', eve.password), 401);
  assert.equal(await signIn('eve', eve.password), 403, 'the file makes no accounts');
  assert.equal(await signIn('nobody', eve.password), 401);
});

void test('nobody gets in by a file that cannot be read, and accounts have their own passwords still', async () => {
  const gone = { 'password-file': { file: join(folder, 'gone') } };
  await using forge = await testHost(plugin, { config: gone, users: ['ada'] });
  const signIn = async (username: string, password: string): Promise<number> =>
    (await forge.anonymous.post('/auth/login', { json: { username, password } })).status;
  assert.equal(await signIn('eve', eve.password), 503);
  assert.equal(await signIn('ada', ada.password), 401, 'an account with a password does not depend on the file');
  assert.equal(await signIn('ada', (await forge.user('ada')).password), 200);
});
