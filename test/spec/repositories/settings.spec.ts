// Tests of the settings of repositories: every status of each operation.
import { definePlugin } from 'hexforge/plugin';
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { stoppableLog } from '#test/support/wrapped-store';

declare module 'hexforge/plugin' {
  interface RepositorySettingValues {
    'sample.loud': boolean;
    'sample.times': number;
    'sample.word': string;
  }
}

/** @param max the upper bound of `sample.times`, which an upgrade may change. */
const sample = (max = 9) =>
  definePlugin({
    name: 'sample',
    version: '1.0.0',
    api: '^0.2.0',
    repositorySettings: [
      { key: 'sample.times', type: 'integer', default: 3, min: 1, max, description: 'How often' },
      { key: 'sample.loud', type: 'boolean', default: false, description: 'Loud' },
      { key: 'sample.word', type: 'string', default: 'ding', maxLength: 10, description: 'Word' },
    ],
  });

const repos = '/api/v1/repos';
const settings = `${repos}/ada/code/settings`;
const item = (key: string, type: string, description: string, usual: string, value = usual) => ({
  key,
  value,
  description,
  type,
  default: usual,
});
const defaults = [
  item('sample.loud', 'boolean', 'Loud', 'false'),
  item('sample.times', 'integer', 'How often', '3'),
  item('sample.word', 'string', 'Word', 'ding'),
];
/** Those of standard plugins. */
const standard = [
  item('mcp.enabled', 'boolean', 'Assistants of people who can read this repository may read it over MCP', 'true'),
];

void t.test('/repos/{owner}/{repo}/settings', async (t) => {
  const { audit, stop: stopLog, mend: mendLog } = await stoppableLog();
  const forge = await startTestForge(t, { definitions: [audit, sample()] });
  const admin = await forge.administrator();
  const [ada, bob] = [await forge.createUser('ada'), await forge.createUser('bob')];
  for (const name of ['code', 'other']) await ada.client.post(repos, { body: { name, visibility: 'private' } });
  const batch = (...changes: readonly unknown[]) => ada.client.post(settings, { body: { settings: changes } });
  const shown = async (path = settings) => (await ada.client.get(path)).body;

  await t.test('GET: 200 with an array by key of { key, value, description, type, default }', async (t) => {
    const answer = await ada.client.get(settings);
    t.strictSame([answer.status, answer.body], [200, [...standard, ...defaults]]);
  });

  await t.test('POST: 200 with the array of { key, value }; it applies to this repository alone', async (t) => {
    const changes = [
      { key: 'sample.times', value: '7' },
      { key: 'sample.word', value: 'döng' },
    ];
    const answer = await batch(...changes);
    t.strictSame([answer.status, answer.body], [200, changes]);
    t.strictSame(await shown(), [
      ...standard,
      defaults[0],
      item('sample.times', 'integer', 'How often', '3', '7'),
      item('sample.word', 'string', 'Word', 'ding', 'döng'),
    ]);
    t.strictSame(await shown(`${repos}/ada/other/settings`), [...standard, ...defaults]);
    t.strictSame((await batch()).body, []);
    t.strictSame(
      (await admin.get('/api/v1/admin/settings')).text.includes('sample.'),
      false,
      'it is no setting of the instance',
    );
  });

  await t.test('POST: 400 malformed, 404 for an unknown key, 422 out of bounds; nothing changes', async (t) => {
    const before = await shown();
    const good = { key: 'sample.times', value: '8' };
    for (const body of [{}, { settings: {} }, { settings: ['sample.times'] }, { settings: [{ key: 'sample.times' }] }])
      isError(t, await ada.client.post(settings, { body }), 400, 'validation_failed', JSON.stringify(body));
    for (const value of [7, true, null])
      isError(t, await batch(good, { key: 'sample.word', value }), 400, 'validation_failed', String(value));
    isError(t, await batch(good, good), 400, 'validation_failed', 'a key twice');
    isError(t, await batch(...Array.from({ length: 1001 }, () => good)), 400, 'validation_failed', 'too many');
    for (const key of ['sample.time', 'signup.enabled', '__proto__'])
      isError(t, await batch(good, { key, value: '1' }), 404, 'not_found', key);
    for (const [key, value] of [
      ['sample.times', '10'],
      ['sample.times', '1.5'],
      ['sample.loud', 'yes'],
      ['sample.word', 'x'.repeat(11)],
    ] as const)
      isError(t, await batch({ key, value }), 422, 'unprocessable', `${key} ${value}`);
    isError(t, await batch(good, { key: 'sample.loud', value: 'yes' }), 422, 'unprocessable', 'all or nothing');
    t.strictSame(await shown(), before);
  });

  await t.test('the administrators of the repository may, others get 401, 403 or 404', async (t) => {
    const both = (client: typeof admin) =>
      Promise.all([client.get(settings), client.post(settings, { body: { settings: [] } })]);
    for (const answer of await both(forge.anonymous)) isError(t, answer, 401, 'unauthorized', 'anonymous');
    for (const answer of await both(bob.client)) isError(t, answer, 404, 'not_found', 'hidden from bob');
    const member = `${repos}/ada/code/collaborators/bob`;
    await ada.client.put(member, { body: { role: 'maintain' } });
    for (const answer of await both(bob.client)) isError(t, answer, 403, 'forbidden', 'bob maintains it');
    await ada.client.put(member, { body: { role: 'admin' } });
    for (const client of [bob.client, admin])
      t.strictSame(
        (await both(client)).map(({ status }) => status),
        [200, 200],
      );
  });

  await t.test('each change leaves an audit entry, and none is made without it', async (t) => {
    const change = { key: 'sample.loud', value: 'true' };
    stopLog();
    isError(t, await batch(change), 503, 'unavailable', 'the log rejects entries');
    mendLog();
    t.match(await shown(), [...standard, { key: 'sample.loud', value: 'false' }]);
    const entries = async () =>
      (
        (await admin.get('/api/v1/admin/audit-log?action=repository.setting_updated')).body as {
          readonly entries: readonly object[];
        }
      ).entries;
    const before = (await entries()).length;
    t.equal((await batch(change)).status, 200);
    t.equal((await batch(change)).status, 200, 'storing the stored value leaves no entry');
    const after = await entries();
    t.equal(after.length, before + 1);
    t.match(after[0], {
      actor_username: 'ada',
      resource_type: 'repository',
      details: { owner: 'ada', name: 'code', key: 'sample.loud', from: false, to: true },
    });
  });

  await t.test('values are kept while the plugin is disabled, and apply within the bounds of an upgrade', async (t) => {
    const { id } = (await ada.client.get(`${repos}/ada/code`)).body as { readonly id: string };
    t.equal(await forge.forge.port('RepositorySettings').get(id, 'sample.times'), 7);
    await forge.stop();
    const without = await startTestForge(t, { after: forge });
    const administrator = await without.administrator();
    t.strictSame((await administrator.get(settings)).body, standard);
    const body = { settings: [{ key: 'sample.times', value: '4' }] };
    isError(t, await administrator.post(settings, { body }), 404, 'not_found', 'the key of a disabled plugin');
    await without.stop();
    const again = await startTestForge(t, { after: without, definitions: [sample()] });
    t.equal(await again.forge.port('RepositorySettings').get(id, 'sample.times'), 7);
    await again.stop();
    const narrowed = await startTestForge(t, { after: again, definitions: [sample(6)] });
    t.equal(await narrowed.forge.port('RepositorySettings').get(id, 'sample.times'), 3);
  });
});
