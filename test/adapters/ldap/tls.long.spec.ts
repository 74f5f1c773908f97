// TLS to the directory, from the start and by StartTLS: certificates and host names are verified.
import t from 'tap';
import { startSlapd } from '../../../tools/peers/slapd.ts';
import { passwordOf } from '../../../tools/peers/slapd-seed.ts';
import { fault, opened, proxyTo } from './directory-under-test.ts';

void t.test('the LDAP directory over TLS', async (t) => {
  const server = await startSlapd();
  t.teardown(() => server.remove());
  const { caFile, otherCaFile } = server;
  const byName = `ldap://localhost:${server.port}`;

  for (const [what, url, options] of [
    ['LDAPS', server.ldapsUrl, { caFile }],
    ['StartTLS', byName, { caFile, startTls: true }],
  ] as const)
    await t.test(`${what} with the right CA file signs in, and the service connection is used again`, async (t) => {
      const { check, complaint, directory } = opened(t, url, options);
      for (let round = 0; round < 3; round += 1) t.equal((await check('ada'))?.username, 'ada');
      t.equal(await check('ada', 'wrong'), undefined);
      t.equal(complaint(), undefined);
      const { steps } = await directory.inspect('ada', passwordOf('ada'), new AbortController().signal);
      t.match(steps[1], { title: 'Encryption', outcome: 'good' });
    });

  for (const [what, url, options, says] of [
    ['LDAPS with another CA', server.ldapsUrl, { caFile: otherCaFile }, /UNABLE_TO_|SELF_SIGNED/],
    ['LDAPS with the CAs of Node', server.ldapsUrl, {}, /UNABLE_TO_|SELF_SIGNED/],
    ['LDAPS by another name', `ldaps://127.0.0.1:${server.ldapsPort}`, { caFile }, /ALTNAME/],
    ['StartTLS with another CA', byName, { caFile: otherCaFile, startTls: true }, /UNABLE_TO_|SELF_SIGNED/],
    ['StartTLS by another name', server.url, { caFile, startTls: true }, /ALTNAME/],
    ['LDAPS to a port without TLS', `ldaps://localhost:${server.port}`, { caFile }, /encrypted connection/],
    ['StartTLS to a port with TLS', `ldap://localhost:${server.ldapsPort}`, { caFile, startTls: true }, /directory/i],
  ] as const)
    await t.test(`${what} is a fault, and the complaint names it without secrets`, async (t) => {
      const { check, complaint, directory, lines } = opened(t, url, { ...options, timeoutSeconds: 2 });
      t.match(await fault(check('ada')), says);
      t.match(complaint(), says);
      const { steps, user } = await directory.inspect('ada', passwordOf('ada'), new AbortController().signal);
      t.match(steps.at(-1), { title: 'Encryption', outcome: 'bad' });
      t.equal(user, undefined);
      t.notMatch(`${complaint() ?? ''}${JSON.stringify(steps)}${lines.join('')}`, /ada-password|service-secret/);
    });

  await t.test('a StartTLS connection that was dropped is replaced', async (t) => {
    const proxy = await proxyTo(t, server.port);
    const { check } = opened(t, proxy.url.replace('127.0.0.1', 'localhost'), { caFile, startTls: true });
    t.equal((await check('ada'))?.username, 'ada');
    proxy.cut();
    t.equal((await check('ada'))?.username, 'ada');
  });

  await t.test('NODE_TLS_REJECT_UNAUTHORIZED does not switch the verification off', async (t) => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    t.teardown(() => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    });
    t.match(await fault(opened(t, server.ldapsUrl, { caFile: otherCaFile }).check('ada')), /UNABLE_TO_|SELF_SIGNED/);
  });
});
