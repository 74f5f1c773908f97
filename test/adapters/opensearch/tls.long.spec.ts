// OpenSearch behind TLS and a password, which a server in front of it demands.
import t from 'tap';
import { certificate, openDoor, reply } from './door.ts';
import { onOpenSearch, opened, startedNode } from './node-under-test.ts';
import { file, pathsWith, refusal, filesWith, store } from './samples.ts';

void onOpenSearch(t).test('OpenSearch with TLS and a password', async (t) => {
  const node = await startedNode(t);
  const { tls, file: caFile } = certificate();
  const other = certificate();
  const door = await openDoor(t, node.url, tls);
  const expected = `Basic ${Buffer.from('ada:open sesame').toString('base64')}`;
  door.intercept(({ headers }, answer) => {
    if (headers.authorization === expected) return false;
    reply(answer, 401, '{}');
    return true;
  });
  const credentials = { username: 'ada', password: 'open sesame' };

  await t.test('with the certificate and the password it is written and searched', async (t) => {
    const { backend, complaint } = await opened(t, door.url, { caFile, ...credentials });
    t.equal(complaint(), undefined);
    await store(backend, [file('a.ts', 'over TLS')]);
    t.strictSame(await pathsWith(backend, 'over tls'), ['a.ts']);
  });

  for (const [what, options, says] of [
    ['a wrong password', { caFile, ...credentials, password: 'sesame' }, /rejects the credentials/],
    ['no password', { caFile }, /rejects the credentials/],
    ['the certificate of another server', { caFile: other.file, ...credentials }, /SELF_SIGNED|UNABLE_TO_VERIFY/],
    ['no certificate', credentials, /SELF_SIGNED|UNABLE_TO_VERIFY/],
  ] as const)
    await t.test(`with ${what} nothing is sent, and a complaint says so`, async (t) => {
      const { backend, complaint, lines } = await opened(t, door.url, options);
      t.match(complaint(), says);
      t.equal(await refusal(filesWith(backend, 'over tls')), 'unavailable');
      t.notMatch(`${complaint() ?? ''}${lines.join('\n')}`, /sesame|127\.0\.0\.1/);
    });

  await t.test('the name in the certificate counts', async (t) => {
    const url = door.url.replace('127.0.0.1', 'localhost');
    const { complaint } = await opened(t, url, { caFile, ...credentials });
    t.match(complaint(), /ALTNAME/);
  });
});
