// Tests the chat notifier: each event is posted once, a failed post is retried, and private repositories are left out.
import { strict as assert } from 'node:assert';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { checkPlugin, testHost } from 'hexforge/testing';
import plugin from './plugin.ts';

/** A chat server that returns these statuses in order, and then 200. */
async function chat(...statuses: number[]) {
  const told: { readonly text: string; readonly key: string | undefined }[] = [];
  const keyOf = ({ headers }: IncomingMessage) => headers['idempotency-key']?.toString();
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const status = statuses.shift() ?? 200;
      if (status === 200) told.push({ text: (body as { text: string }).text, key: keyOf(request) });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`;
  return { told, url, [Symbol.dispose]: () => void server.close() };
}

void test('nothing is wrong with the definition', () => {
  assert.deepEqual(checkPlugin(plugin), []);
});

void test('new repositories are told, once each, also where the chat first refuses', async () => {
  using there = await chat(500);
  await using forge = await testHost(plugin, { settings: { 'chat-notifier.webhook': there.url } });
  await forge.repository('alice/open', { visibility: 'public' });
  await forge.repository('alice/shut', { visibility: 'private' });
  await forge.drained();
  while (there.told.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const [created] = forge.events.filter(({ type }) => type === 'repository.created');
  assert.deepEqual(there.told, [{ text: 'alice/open is there', key: created?.id }]);
});

void test('the address is stored while the forge runs, shown to nobody, and pushes are told from then on', async () => {
  using there = await chat();
  await using forge = await testHost(plugin);
  const setting = '/admin/settings/chat-notifier.webhook';
  assert.equal((await forge.as('admin').put(setting, { json: { value: there.url } })).status, 200);
  assert.ok(!JSON.stringify((await forge.as('admin').get(setting)).body).includes('secret'));
  await forge.repository('alice/open', { visibility: 'public' });
  await forge.drained();
  assert.equal(there.told.length, 1, 'and it counts at once');
  const file = { message: 'Say hello', content: Buffer.from('Hello').toString('base64') };
  assert.equal((await forge.as('alice').put('/repos/alice/open/contents/hello.txt', { json: file })).status, 201);
  await forge.drained();
  assert.equal(there.told[1]?.text, 'alice/open: refs/heads/main has moved');
});
