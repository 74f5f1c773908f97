// Tests that the deprecated paths below /pulls answer 308 with the equivalent below /merges.
import t from 'tap';
import { workshop } from './workshop.ts';

void t.test('the deprecated paths', async (t) => {
  const { forge, alice, bob, repository, open } = await workshop(t);
  const code = await repository('code');
  await open(code);

  await t.test('every method and every path below, with its query', async (t) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
      for (const [from, to] of [
        ['', ''],
        ['/', ''],
        ['?state=all&per_page=2', '?state=all&per_page=2'],
        ['/1', '/1'],
        ['/1/merge', '/1/merge'],
        ['/1/files/a%20b/%C3%BC.txt?algorithm=myers', '/1/files/a%20b/%C3%BC.txt?algorithm=myers'],
        ['/1/comments/x', '/1/comments/x'],
        ['/prepare-url', '/prepare-url'],
        ['/1/files/a%20b%2Fc%25.txt', '/1/files/a%20b%2Fc%25.txt'],
        ['/%7e?q=a%20b+c&q', '/%7e?q=a%20b+c&q'],
        ['/..%2F..%2Fissues', '/..%2F..%2Fissues'],
        ['/1/.%2Ffiles', '/1/.%2Ffiles'],
      ]) {
        const answer = await alice.client.request(method, `${code}/pulls${from}`);
        t.equal(answer.status, 308, `${method} ${from}`);
        t.equal(answer.headers.get('location'), `${code}/merges${to}`, `${method} ${from}`);
        t.equal(answer.headers.get('deprecation'), '@1767225600');
        t.equal(answer.headers.get('link'), `<${code}/merges${to}>; rel="successor-version"`);
        t.equal(answer.text, '');
      }
  });

  await t.test('a client that follows the redirect keeps its method and body', async (t) => {
    const { authorization } = expectHeaders(await forge.pat(alice.client, ['repo:write']));
    const answer = await fetch(new URL(`${code}/pulls/1`, forge.url), {
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'By the old path' }),
    });
    t.equal(answer.status, 200);
    t.match(await answer.json(), { number: 1, title: 'By the old path' });
  });

  await t.test('the redirect does not show whether the target exists', async (t) => {
    const hidden = await repository('hidden', 'private');
    for (const path of [hidden, `${hidden}x`])
      for (const client of [bob.client, forge.anonymous])
        t.equal((await client.get(`${path}/pulls/1`)).headers.get('location'), `${path}/merges/1`);
    t.equal(
      (await forge.as('svc_bad').get(`${code}/pulls`)).status,
      401,
      'an invalid credential is refused on every path',
    );
  });
});

const expectHeaders = ({ token }: { readonly token: string }) => ({ authorization: `Bearer ${token}` });
