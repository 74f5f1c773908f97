// The tests of the plugin, in memory and on the embedded database.
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { checkPlugin, testHost } from 'hexforge/testing';
import plugin from './plugin.ts';

void test('nothing is wrong with the definition', () => {
  assert.deepEqual(checkPlugin(plugin), []);
});

for (const database of ['memory', 'embedded'] as const) {
  void test(`the owner adds notes and others see none of a private repository (${database})`, async () => {
    await using forge = await testHost(plugin, { database, repositories: ['alice/site'] });
    const notes = '/x/sample-plugin/alice/site/notes';
    const added = await forge.as('alice').post(notes, { json: { text: 'Mind the gap' } });
    assert.equal(added.status, 201);
    assert.deepEqual((await forge.as('alice').get(notes)).body, { items: [added.body] });
    assert.equal(
      (await forge.as('alice', { scopes: ['repo:read'] }).post(notes, { json: { text: 'No' } })).status,
      403,
    );
    assert.equal((await forge.as('bob').get(notes)).status, 404);
  });
}
