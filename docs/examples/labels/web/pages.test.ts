// The pages of labels, and what they add to other pages.
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { testHost } from 'hexforge/testing';
import labels from '../plugin.ts';

void test('labels in a browser', async () => {
  await using forge = await testHost(labels, {
    repositories: [{ path: 'alice/open', visibility: 'public' }, 'alice/shut'],
  });
  const alice = forge.browser('alice');
  const path = '/alice/open/-/x/labels/all';
  const page = await alice.open(path);
  assert.match(page.html, /There is no label yet/);
  const refused = await alice.submit(page, { name: 'Bug', color: 'red' });
  assert.equal(refused.status, 422);
  assert.match(refused.html, /value="red"[^]*id="color-error"/);
  const added = await alice.submit(page, { name: '<b>Bug' });
  assert.equal(added.path, path);
  assert.match(added.html, /<bdi>&lt;b&gt;Bug<\/bdi>/);
  assert.match(added.html, /href="\/alice\/open\/-\/x\/labels\/all"[^>]*>Labels <span class="count">1</);

  const bob = forge.browser('bob');
  assert.doesNotMatch((await bob.open(path)).html, /labels\/add/);
  assert.equal((await bob.open('/alice/shut/-/x/labels/all')).status, 404);
  assert.match((await bob.open('/')).html, /href="\/-\/x\/labels\/all"[^]*&lt;b&gt;Bug/, 'menu and card');
  assert.match((await bob.open('/-/x/labels/all')).html, /alice\/open/);
  assert.match((await bob.open('/alice/open')).html, /<aside>[^]*&lt;b&gt;Bug/, 'panel');
  const hidden = await alice.open('/alice/shut/-/x/labels/all');
  await alice.submit(hidden, { name: 'Secret' });
  assert.doesNotMatch((await bob.open('/-/x/labels/all')).html, /Secret/);
});
