// Tests the page of assistants: who sees it, what it says, and the switch.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { submitTo } from '#test/support/page-forms';

const page = '/alice/site/-/mcp';

void t.test('the page has the address, the ways to connect, and the switch for administrators', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'public' }, 'alice/shut'],
    users: ['bob'],
  });
  const alice = forge.browser('alice');
  const shown = await alice.open(page);
  const url = `${forge.url}/api/v1/mcp/alice/site`;
  t.equal(shown.status, 200);
  t.match(shown.html, new RegExp(`value="${url}"`));
  for (const text of [
    'claude mcp add --transport http alice-site',
    '.vscode/mcp.json',
    '--method tools/list',
    'mcp:read',
  ])
    t.ok(shown.html.includes(text), text);
  t.match(shown.html, /Switch off for this repository/);

  const off = await submitTo(alice, shown, page, {});
  t.match(off, { status: 200, path: page, html: /Switch on for this repository/ });
  t.match(off.html, /switched off here/);
  t.notMatch(off.html, /claude mcp add/);
  t.match((await forge.as('alice').get('/repos/alice/site/mcp/info')).body, { enabled: false });
  t.match(await submitTo(alice, off, page, { enabled: 'perhaps' }), { status: 422 });
  const on = await submitTo(alice, off, page, {});
  t.match(on.html, /Switch off for this repository/);
  t.match((await forge.as('alice').get('/repos/alice/site/mcp/info')).body, { enabled: true });

  const bob = forge.browser('bob');
  const read = await bob.open(page);
  t.match([read.status, read.html], [200, /claude mcp add/]);
  t.notMatch(read.html, /Switch off/);
  t.equal((await bob.open('/alice/shut/-/mcp')).status, 404);
});

void t.test('anonymous readers are led to sign in; signed-in readers find it on the front page', async (t) => {
  await using forge = await testHost([], {
    repositories: [{ path: 'alice/site', visibility: 'public' }],
    users: ['bob'],
  });
  const anonymous = await fetch(`${forge.url}${page}`, { redirect: 'manual', headers: { accept: 'text/html' } });
  t.match([anonymous.status, anonymous.headers.get('location')], [303, /sign-in\?return_to=/]);
  t.match(
    (await forge.browser('bob').open('/alice/site')).html,
    new RegExp(`href="${page}"[^>]*>Connect an assistant`),
  );
  await forge.as('alice').put('/repos/alice/site/mcp/settings', { json: { enabled: false } });
  t.notMatch((await forge.browser('bob').open('/alice/site')).html, /Connect an assistant/);
});

void t.test('the settings of a repository have an entry that leads to it', async (t) => {
  await using forge = await testHost([], { repositories: ['alice/site'] });
  t.match((await forge.browser('alice').open('/alice/site/-/settings')).html, new RegExp(`href="${page}"`));
});
