// Hostile names, a directory that dies or hangs, and the bounds of connections, time and waiting.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { bareHost } from '#host/sdk/testing';
import ldap from '#plugins/ldap/plugin';
import { startSlapd } from '../../../tools/peers/slapd.ts';
import { adminGroups, baseDn, passwordOf, readerPassword, readers } from '../../../tools/peers/slapd-seed.ts';
import { fault, opened, proxyTo } from './directory-under-test.ts';

const timed = async <T>(work: () => Promise<T>): Promise<readonly [T, number]> => {
  const begin = performance.now();
  const result = await work();
  return [result, performance.now() - begin];
};

void t.test('the LDAP directory under attack and with faults', async (t) => {
  const server = await startSlapd();
  t.teardown(() => server.remove());
  const proxy = await proxyTo(t, server.port);
  t.afterEach(() => {
    proxy.delay = 0;
    proxy.silent = false;
  });

  await t.test('hostile names find nobody', async (t) => {
    const { check, complaint } = opened(t, server.url);
    const password = passwordOf('ada');
    for (const name of [
      '*',
      'a*',
      'ad?',
      '*)(uid=*',
      'ada)(|(uid=*',
      'ada)(objectClass=*))(&(uid=ada',
      'x)(|(uid=ada)',
      '*)(&',
      ')',
      '(',
      '&(uid=ada)',
      '!(uid=x)',
      String.raw`\2a`,
      String.raw`\61da`,
      String.raw`ada\00`,
      '\\',
      'ada\0',
      '\0',
      'uid=ada,ou=people,dc=example,dc=org',
      '$&',
      '{username}',
      '\u0430da',
      'a\u0501a',
      '\uD800',
      'a'.repeat(256),
      '('.repeat(256),
      '\\'.repeat(256),
      '*'.repeat(256),
      'x'.repeat(257),
      'constructor',
      '__proto__',
    ])
      t.equal(await check(name, password), undefined, JSON.stringify(name.slice(0, 40)));
    t.equal(complaint(), undefined, 'no name is a fault');
    t.equal((await check('star*'))?.username, 'star*', 'a name that contains a star finds its own entry');
    t.equal(await check('star*', password), undefined);
  });

  await t.test('an empty password or one with NUL opens no connection', async (t) => {
    const { check } = opened(t, proxy.url);
    proxy.reset();
    for (const password of ['', '\0', 'ada-password\0', '\0ada-password', '\uD800', 'x'.repeat(5000)])
      t.equal(await check('ada', password), undefined, JSON.stringify(password.slice(0, 20)));
    t.equal(proxy.connections.total, 0);
    t.equal(await check('ada', ' '), undefined);
    t.ok(proxy.connections.total > 0, 'a blank password is a password');
  });

  await t.test('a server that was restarted, or cut idle connections, costs no sign-in', async (t) => {
    const { check } = opened(t, proxy.url);
    t.equal((await check('ada'))?.username, 'ada');
    await server.stop();
    t.match(await fault(check('ada')), /cannot be reached|closed/);
    await server.start();
    t.equal((await check('ada'))?.username, 'ada');
    proxy.cut();
    await Promise.all(Array.from({ length: 8 }, async () => t.equal((await check('ada'))?.username, 'ada')));
  });

  await t.test('a server killed during checks is a fault at once, and the complaint ends with it', async (t) => {
    const { check, complaint } = opened(t, server.url, { timeoutSeconds: 3 });
    await check('ada');
    await server.freeze();
    const checking = Array.from({ length: 5 }, () => timed(() => fault(check('ada'))));
    await sleep(100);
    await server.stop();
    for (const [message, ms] of await Promise.all(checking)) {
      t.match(message, /directory|closed|search|bind/i);
      t.ok(ms < 1500, `${Math.round(ms)} ms`);
    }
    t.match(await fault(check('ada')), /cannot be reached: ECONNREFUSED/);
    t.match(complaint(), /ECONNREFUSED/);
    await server.start();
    await check('ada');
    t.equal(complaint(), undefined);
  });

  await t.test('the complaint of a directory that answers again ends without a sign-in', async (t) => {
    const { check, complaint } = opened(t, server.url);
    await server.stop();
    t.match(await fault(check('ada')), /cannot be reached/);
    await server.start();
    t.match(complaint(), /cannot be reached/, 'which begins a look');
    for (let look = 0; look < 100 && complaint() !== undefined; look += 1) await sleep(20);
    t.equal(complaint(), undefined);
  });

  await t.test('a frozen server ends a check at its time limit, and its slots are free afterwards', async (t) => {
    const { check } = opened(t, server.url, { timeoutSeconds: 1, connections: 4 });
    await check('ada');
    await server.freeze();
    const all = await Promise.all(Array.from({ length: 12 }, () => timed(() => fault(check('ada')))));
    for (const [message, ms] of all) {
      t.match(message, /did not answer within 1 s/);
      t.ok(ms > 900 && ms < 1700, `${Math.round(ms)} ms`);
    }
    server.resume();
    t.equal((await check('ada'))?.username, 'ada');
  });

  await t.test('the time limit is that of all steps together', async (t) => {
    proxy.delay = 450;
    const { check } = opened(t, proxy.url, { timeoutSeconds: 1, adminGroup: adminGroups.member });
    const [message, ms] = await timed(() => fault(check('ada')));
    t.match(message, /did not answer within 1 s/, 'service bind, search and bind each take 450 ms');
    t.ok(ms < 1400, `${Math.round(ms)} ms`);
  });

  await t.test('100 checks at once use at most 20 connections of each kind', async (t) => {
    const { check } = opened(t, proxy.url);
    proxy.reset();
    const users = await Promise.all(
      Array.from({ length: 100 }, (_, index) => check('ada', undefined, { ip: `192.0.2.${index}` })),
    );
    t.equal(users.filter((user) => user?.username === 'ada').length, 100);
    t.ok(proxy.connections.most <= 40, `${proxy.connections.most} connections`);
    t.ok(proxy.connections.total <= 120, `${proxy.connections.total} connections: searches share theirs`);
    await sleep(50);
    t.ok(proxy.connections.now <= 20, `${proxy.connections.now} service connections are kept`);
  });

  await t.test('a cancelled check ends at once and frees its slot and its connection', async (t) => {
    const { check } = opened(t, proxy.url, { connections: 2, timeoutSeconds: 10 });
    proxy.cut();
    proxy.delay = 3000;
    const cancel = new AbortController();
    const slow = Array.from({ length: 6 }, (_, index) =>
      timed(() => fault(check('ada', undefined, { ip: `192.0.2.${index}`, signal: cancel.signal }))),
    );
    await sleep(200);
    cancel.abort(new Error('cancelled'));
    for (const [message, ms] of await Promise.all(slow)) {
      t.equal(message, 'cancelled');
      t.ok(ms < 1000, `${Math.round(ms)} ms`);
    }
    await sleep(50);
    t.equal(proxy.connections.now, 0);
    proxy.delay = 0;
    const [user, ms] = await timed(() => check('ada'));
    t.equal(user?.username, 'ada');
    t.ok(ms < 1000, `${Math.round(ms)} ms`);
  });

  await t.test(
    'a client with many checks delays other clients of a slow directory by no more than their own',
    async (t) => {
      const { check } = opened(t, proxy.url, { connections: 8, queue: 40, timeoutSeconds: 3 });
      proxy.delay = 250;
      // Addresses of one network count as one client.
      const flood = Array.from({ length: 60 }, (_, index) =>
        fault(check('ada', undefined, { ip: `2001:db8::${index}` })),
      );
      await sleep(20);
      for (const ip of ['192.0.2.1', '192.0.2.2']) {
        const [user, ms] = await timed(() => check('eve', undefined, { ip }));
        t.equal(user?.username, 'eve');
        t.ok(ms < 1500, `${ip}: ${Math.round(ms)} ms`);
      }
      const messages = await Promise.all(flood);
      t.ok(messages.filter((message) => message === 'Too many sign-ins wait for the directory').length >= 46);
    },
  );

  await t.test('a directory that answers after 4 s does not delay another one', async (t) => {
    const fast = opened(t, server.url);
    const slow = opened(t, proxy.url, { timeoutSeconds: 10 });
    await fast.check('ada');
    proxy.delay = 4000;
    const cancel = new AbortController();
    const waiting = Array.from({ length: 100 }, (_, index) =>
      fault(slow.check('ada', undefined, { ip: `192.0.2.${index}`, signal: cancel.signal })),
    );
    const times: number[] = [];
    for (let round = 0; round < 100; round += 1) times.push((await timed(() => fast.check('ada')))[1]);
    const [p99 = 0] = times.toSorted((one, other) => other - one).slice(1);
    t.ok(p99 < 100, `p99 ${p99.toFixed(1)} ms`);
    cancel.abort(new Error('over'));
    await Promise.all(waiting);
  });

  await t.test('the plugin provides the directory and a probe, and stops', async (t) => {
    const host = await bareHost([ldap], {
      config: {
        ldap: {
          url: proxy.url,
          base_dn: baseDn,
          bind_dn: readers.usual,
          bind_password: readerPassword,
          timeout_seconds: 1,
        },
      },
    });
    const from = { ip: '192.0.2.1', now: new Date(), waitSeconds: 5 };
    const find = async () => host.port('PasswordDirectories').find('ada', passwordOf('ada'), from);
    t.match(await find(), { directory: 'ldap', user: { username: 'ada' } });
    const degraded = async (): Promise<string> => JSON.stringify(await host.readiness());
    t.notMatch(await degraded(), /did not answer/);
    proxy.silent = true;
    t.match(await fault(find()), /The password directory "ldap" is not available/);
    t.match(await degraded(), /did not answer within 1 s/);
    await host.stop();
    await sleep(50);
    t.equal(proxy.connections.now, 0);
  });

  await t.test('a closed directory opens no connection', async (t) => {
    const made = opened(t, proxy.url);
    await made.check('ada');
    made.close();
    await sleep(50);
    t.equal(proxy.connections.now, 0);
    t.equal(await fault(made.check('ada')), 'The directory is closed');
  });
});
