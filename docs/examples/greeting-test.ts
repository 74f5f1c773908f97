// The tests of the plugin of docs/writing-a-plugin.md, with what Node and `hexforge/testing` bring.
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PublicUser, Users } from 'hexforge/identity';
import { definePlugin } from 'hexforge/plugin';
import { checkPlugin, testHost } from 'hexforge/testing';
import greeting from './greeting.ts';

const ada: PublicUser = { id: '1', username: 'ada', displayName: 'Ada', avatarUrl: '' };

/** In the place of the plugin that keeps accounts. */
const oneUser = definePlugin({
  name: 'one-user',
  version: '1.0.0',
  api: '^0.1.0',
  provides: {
    Users: (): Users => ({
      byUsername: async (username) => (username === ada.username ? ada : undefined),
      byIds: async () => new Map([[ada.id, ada]]),
    }),
  },
});

void test('nothing is wrong with the definition', () => {
  assert.deepEqual(checkPlugin(greeting), []);
});

void test('it greets users by name, and strangers', async (t) => {
  const host = await testHost([oneUser, greeting], {
    config: { greeting: { word: 'Hi' } },
    foreign: ['greeting'],
  });
  t.after(() => host.stop());
  const url = await host.listen();
  const greet = async (name: string): Promise<unknown> => (await fetch(`${url}/api/v1/x/greeting/${name}`)).json();
  assert.deepEqual(await greet('ada'), { text: 'Hi, Ada!' });
  assert.deepEqual(await greet('nobody'), { text: 'Hi, stranger!' });
});
