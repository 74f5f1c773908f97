// The tests of the plugin of docs/writing-a-plugin.md, with the test runner of Node and `hexforge/testing`.
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { checkPlugin, testHost } from 'hexforge/testing';
import greeting from './greeting.ts';

void test('nothing is wrong with the definition', () => {
  assert.deepEqual(checkPlugin(greeting), []);
});

void test('it greets users by name, and strangers', async () => {
  await using forge = await testHost(greeting, {
    config: { greeting: { word: 'Hi' } },
    users: [
      { username: 'ada', displayName: 'Ada' },
      { username: 'moin', displayName: '' },
    ],
  });
  assert.deepEqual((await forge.get('/x/greeting/ada')).body, { text: 'Hi, Ada!' });
  assert.deepEqual((await forge.get('/x/greeting/moin')).body, { text: 'Hi, moin!' });
  assert.deepEqual((await forge.get('/x/greeting/nobody')).body, { text: 'Hi, stranger!' });
});
