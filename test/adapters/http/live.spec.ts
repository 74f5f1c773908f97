// Live connections over a channel of things: opening, access, events and closing.
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { channel } from '#adapters/http/live/channel';
import type { LiveLimits } from '#adapters/http/live/follower';
import type { HttpOptions } from '#adapters/http/server';
import { accessDecision, reads } from '#core/kernel/access/access';
import { NotFound, Unauthorized } from '#core/kernel/errors';
import { LiveFeed } from '#core/kernel/storage/live';
import { follow, followed, LiveClient, notFollowed, type LiveOptions } from '#test/support/clients/live-client';
import { authenticator, bearer, now, scopes, startRig, things } from './rig.ts';

const path = '/ws/things/open';
const hidden = '/ws/things/closed';
const protocols = (token: string): LiveOptions => ({ protocols: ['bearer', token] });

const things_ = channel({
  id: 'thingLive',
  summary: 'What happens to a thing',
  path: '/ws/things/{name}',
  access: reads('thing' as never, 'thing.read' as never),
  scope: 'thing:read' as never,
  follows: [],
  follow: (_call, { params: { name } }: { params: { name: string } }) => name,
  message: () => undefined,
});

async function liveRig(t: Test, limits: Partial<LiveLimits> = {}, overrides: Partial<HttpOptions> = {}) {
  const lost = { credential: false, thing: false, broken: false };
  const asked = { count: 0 };
  const feed = new LiveFeed();
  const door: HttpOptions['authenticator'] = {
    authenticate: async (presented, context) => {
      if (lost.credential) throw new Unauthorized('The credential is not valid');
      return authenticator.authenticate(presented, context);
    },
    renew: (_, presented, context) => door.authenticate(presented, context),
  };
  const rig = await startRig(t, [], {
    channels: [{ plugin: 'things', channel: things_ }],
    feed,
    authenticator: door,
    access: accessDecision({
      scopes,
      adminGrants: () => undefined,
      isPermission: () => true,
      resolvers: () => [
        {
          async thing(caller, params) {
            asked.count += 1;
            if (lost.broken) throw new Error('the database is down');
            if (lost.thing) return undefined;
            const standing = await things.thing?.(caller, params);
            return standing && { ...standing, resource: { ...standing.resource, id: `id-${params['name']}` } as never };
          },
        },
      ],
    }),
    live: { recheckMs: [600_000, 600_000], ...limits },
    ...overrides,
  });
  const tell = (of: string, type: string, data: object = {}): void =>
    feed.told('thingLive', of, { type, data, at: now });
  return { rig, url: rig.url, feed, tell, lost, asked };
}

void t.test('callers that may read can follow: by header, by subprotocol, and anonymously if public', async (t) => {
  const { url, tell, rig } = await liveRig(t);
  const anonymous = await followed(url, path);
  const byHeader = await followed(url, hidden, { headers: { authorization: 'Bearer good' } });
  const bySubprotocol = await followed(url, hidden, protocols('pat-read'));
  t.equal(bySubprotocol.socket.protocol, 'bearer');
  const among = await followed(rig.url, hidden, { protocols: ['json', 'bearer', 'good', 'more'] });
  t.equal(among.socket.protocol, 'bearer', 'among other subprotocols');
  await among.close();
  t.equal(byHeader.socket.protocol, '');
  t.match(bySubprotocol.headers, { 'x-request-id': /^0{8}-/, 'x-content-type-options': 'nosniff' });
  tell('open', 'thing.moved', { by: 3 });
  tell('closed', 'thing.shut');
  tell('open', 'thing.moved', { by: 4 });
  const at = now.toISOString();
  t.strictSame(await anonymous.until(2), [
    { type: 'thing.moved', data: { by: 3 }, at },
    { type: 'thing.moved', data: { by: 4 }, at },
  ]);
  t.strictSame(await byHeader.until(1), [{ type: 'thing.shut', data: {}, at }]);
  t.strictSame(await bySubprotocol.until(1), [{ type: 'thing.shut', data: {}, at }]);
  const entry = await rig.entry(String(bySubprotocol.headers['x-request-id']));
  t.match(entry, { status: 101, method: 'GET', route: '/ws/things/{name}', userId: 'id-alice', credential: 'pat' });
});

void t.test('a session cookie is accepted only from a page of the instance', async (t) => {
  const { url } = await liveRig(t);
  const cookie = (origin?: string, token = 'good'): LiveOptions => ({
    headers: { cookie: `svc_access_token=${token}`, ...(origin !== undefined && { origin }) },
  });
  for (const origin of ['https://forge.example', 'https://web.example'])
    t.ok((await followed(url, hidden, cookie(origin))).isOpen, origin);
  for (const origin of [
    'https://evil.example',
    'https://forge.example.evil.example',
    'http://forge.example',
    'null',
    undefined,
  ])
    for (const at of [path, hidden])
      t.match(
        await notFollowed(url, at, cookie(origin)),
        { status: 403, body: { error_code: 'csrf_rejected' } },
        String(origin),
      );
  t.ok((await followed(url, path, cookie('https://forge.example', 'bad'))).isOpen, 'a bad cookie counts as anonymous');
  t.match(await notFollowed(url, hidden, cookie('https://forge.example', 'bad')), { status: 404 });
  const both = { ...protocols('other'), ...cookie('https://evil.example') };
  t.ok((await followed(url, path, both)).isOpen, 'a token needs no origin and overrides the cookie');
  t.match(await notFollowed(url, hidden, both), { status: 404 });
});

void t.test('a caller without access is rejected before the upgrade, as by a route', async (t) => {
  const { url } = await liveRig(t);
  const refusals: readonly (readonly [string, LiveOptions, number, string])[] = [
    [hidden, {}, 404, 'not_found'],
    ['/ws/things/none', {}, 404, 'not_found'],
    ['/ws/things', {}, 404, 'not_found'],
    ['/ws/nothing/here', protocols('good'), 404, 'not_found'],
    [hidden, protocols('other'), 404, 'not_found'],
    [path, protocols('bad'), 401, 'unauthorized'],
    [path, { headers: { authorization: 'Bearer bad' } }, 401, 'unauthorized'],
    [path, { headers: { authorization: 'Nonsense' } }, 401, 'unauthorized'],
    [path, { protocols: ['bearer'] }, 401, 'unauthorized'],
    [path, { protocols: ['more', 'bearer'] }, 401, 'unauthorized'],
    [path, protocols('pat-none'), 403, 'insufficient_scope'],
    [path, protocols('oat-bound'), 403, 'invalid_audience'],
  ];
  for (const [at, options, status, error_code] of refusals) {
    const answer = await notFollowed(url, at, options);
    t.match(
      answer,
      { status, body: { error_code }, headers: { connection: 'close', 'x-request-id': /./ } },
      `${at} ${status}`,
    );
  }
  const other = await followed(url, path, { protocols: ['chat'] });
  t.equal(other.headers['sec-websocket-protocol'], undefined, 'an unknown subprotocol is not echoed');
});

const upgrade = (at: string, headers: Readonly<Record<string, string>> = {}): string => {
  const all = {
    Host: 'forge.example',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  return `GET ${at} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
};
const head = (answer: string): string => answer.split('\r\n')[0] ?? '';

void t.test('an invalid handshake is rejected with the reason, and its connection closed', async (t) => {
  const { rig } = await liveRig(t);
  const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ 'Sec-WebSocket-Key': '' }, 'HTTP/1.1 400 Bad Request'],
    [{ 'Sec-WebSocket-Key': 'short' }, 'HTTP/1.1 400 Bad Request'],
    [{ 'Sec-WebSocket-Version': '12' }, 'HTTP/1.1 426 Upgrade Required'],
    [{ 'Sec-WebSocket-Version': '' }, 'HTTP/1.1 426 Upgrade Required'],
    [{ Host: '' }, 'HTTP/1.1 400 Bad Request'],
  ];
  for (const [headers, expected] of cases) t.equal(head(await rig.raw(upgrade(path, headers))), expected);
  t.match(await rig.raw(upgrade(path, { 'Sec-WebSocket-Version': '12' })), /sec-websocket-version: 13\r\n/i);
  t.equal(head(await rig.raw(upgrade(hidden, { 'Sec-WebSocket-Key': '' }))), 'HTTP/1.1 404 Not Found');
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`X-${index}`, 'x'.repeat(100)]));
  t.equal(head(await rig.raw(upgrade(path, many))), 'HTTP/1.1 431 Request Header Fields Too Large');
});

void t.test('Upgrade and Connection are lists (RFC 9110, sections 7.6.1 and 7.8)', async (t) => {
  const { rig } = await liveRig(t);
  for (const headers of [
    { Upgrade: 'h2c, WebSocket' },
    { Upgrade: 'websocket,, foo/1' },
    { Connection: 'keep-alive, upgrade' },
  ]) {
    const socket = connect(rig.port, '127.0.0.1').setEncoding('utf8');
    socket.write(upgrade(path, headers));
    const answer = await new Promise<string>((resolve) => socket.once('data', (text: string) => resolve(text)));
    t.equal(head(answer), 'HTTP/1.1 101 Switching Protocols', JSON.stringify(headers));
    t.match(answer, /\r\nUpgrade: websocket\r\n/);
    socket.destroy();
  }
});

void t.test('the time limits between requests do not apply to a live connection', async (t) => {
  const { url, rig } = await liveRig(t, {}, { idleMs: 60, headMs: 60 });
  const silent = await followed(url, path);
  const talking = await followed(url, path);
  // Closed by the idle limit, which shows that the limit has passed for the others.
  const socket = connect(rig.port, '127.0.0.1').resume();
  for (const _ of [1, 2, 3]) talking.socket.ping();
  await new Promise((resolve) => socket.once('close', resolve));
  talking.socket.ping();
  await new Promise((resolve) => talking.socket.once('pong', resolve));
  t.ok(silent.isOpen);
  t.ok(talking.isOpen);
});

void t.test('a request that opens no WebSocket is handled like any other', async (t) => {
  const { rig } = await liveRig(t);
  const plain = await rig.call('GET', path);
  t.match(plain, {
    status: 426,
    body: { error_code: 'upgrade_required' },
    headers: { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' },
  });
  t.equal((await rig.call('GET', hidden)).status, 404, 'which reveals nothing hidden');
  t.equal((await rig.call('GET', hidden, { headers: bearer('good') })).status, 426);
  t.match(await rig.call('POST', path), { status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } });
  const last = { Connection: 'close, Upgrade' };
  t.equal(head(await rig.raw(upgrade('/healthz', { ...last, Upgrade: 'h2c' }))), 'HTTP/1.1 200 OK');
  t.equal(head(await rig.raw(upgrade('/healthz', last))), 'HTTP/1.1 200 OK', 'also if a WebSocket was requested');
  const body = { ...last, 'Content-Length': '0' };
  t.equal(
    head(await rig.rawHead(upgrade(path, body))),
    'HTTP/1.1 426 Upgrade Required',
    'a WebSocket request has no body',
  );
});

void t.test('opening counts against the read rate limit', async (t) => {
  const { url } = await liveRig(
    t,
    {},
    { budgets: { budget: async () => ({ limit: 2, windowSeconds: 60, window: 'fixed' }) } },
  );
  t.match((await followed(url, path)).headers, { 'x-ratelimit-remaining': '1', 'x-ratelimit-resource': 'api.read' });
  t.equal((await notFollowed(url, hidden)).status, 404, 'rejections too');
  t.match(await notFollowed(url, path), {
    status: 429,
    headers: { 'x-ratelimit-remaining': '0', 'retry-after': /\d/ },
  });
});

void t.test('connections are limited per user, per address and in total', async (t) => {
  const { url } = await liveRig(t, { perCaller: 2, inAll: 5 });
  const [first] = [await followed(url, path, protocols('good')), await followed(url, hidden, protocols('pat-read'))];
  const refusal = { status: 429, body: { error_code: 'rate_limited' }, headers: { 'retry-after': /\d/ } };
  t.match(await notFollowed(url, path, protocols('good')), refusal, 'also with another credential');
  await followed(url, path, protocols('other'));
  await followed(url, path);
  await followed(url, path);
  t.match(await notFollowed(url, path), refusal, 'of an address');
  t.match(await notFollowed(url, path, protocols('root')), { status: 503, body: { error_code: 'unavailable' } });
  await first?.close();
  // The slot is free when the server has seen the end.
  let again = await follow(url, path, protocols('good'));
  while (!(again instanceof LiveClient)) again = await follow(url, path, protocols('good'));
  t.ok(again.isOpen);
});

void t.test('lost access ends the connection, and no event is sent in between', async (t) => {
  for (const [what, reason] of [
    ['credential', 'The credential is no longer valid'],
    ['thing', 'Access was lost'],
  ] as const) {
    const { url, tell, lost, feed } = await liveRig(t);
    const client = await followed(url, hidden, protocols('good'));
    tell('closed', 'thing.first');
    await client.until(1);
    lost[what] = true;
    tell('closed', 'thing.secret');
    t.strictSame(await client.closed, { code: 1008, reason });
    t.strictSame(
      client.told.map(({ type }) => type),
      ['thing.first'],
    );

    lost[what] = false;
    const [alice, bob, other] = [
      await followed(url, path, protocols('good')),
      await followed(url, path, protocols('other')),
      await followed(url, hidden, protocols('good')),
    ];
    lost[what] = true;
    feed.suspected('user:id-alice');
    t.match(await alice.closed, { code: 1008 });
    t.match(await other.closed, { code: 1008 });
    t.ok(bob.isOpen, 'a connection without a reported loss is not rechecked yet');
    feed.suspected('thing:id-open');
    t.match(await bob.closed, { code: 1008 }, 'the thing is reported');
  }
});

void t.test('two callers with the same header but different cookies are rechecked separately', async (t) => {
  const readers = new Set(['alice', 'bob']);
  const access = accessDecision({
    scopes,
    adminGrants: () => undefined,
    isPermission: () => true,
    resolvers: () => [
      {
        thing: async (caller) =>
          caller.kind === 'user' && readers.has(caller.username)
            ? { resource: { id: 'id' } as never, readable: true, may: () => true }
            : undefined,
      },
    ],
  });
  const { url } = await liveRig(t, { recheckMs: [0, 0] }, { access });
  const origin = 'https://forge.example';
  const open = (token: string) =>
    followed(url, hidden, {
      headers: { cookie: `svc_access_token=${token}`, origin, 'sec-websocket-protocol': 'json' },
    });
  const [alice, bob] = [await open('good'), await open('other')];
  readers.delete('bob');
  t.match(await bob.closed, { code: 1008 });
  t.ok(alice.isOpen);
});

void t.test('a loss of access without an event is found by the periodic recheck', async (t) => {
  const { url, lost } = await liveRig(t, { recheckMs: [0, 0] });
  const clients = await Promise.all([followed(url, hidden, protocols('good')), followed(url, path)]);
  lost.thing = true;
  for (const client of clients) t.match(await client.closed, { code: 1008 });
});

void t.test('while access cannot be rechecked, nothing is sent and clients are asked to reconnect', async (t) => {
  const { url, tell, lost, rig } = await liveRig(t);
  const client = await followed(url, path);
  lost.broken = true;
  tell('open', 'thing.moved');
  t.match(await client.closed, { code: 1013 });
  t.strictSame(client.told, []);
  t.match(rig.logged, [{ level: 'warn', message: 'access of live connections could not be asked for' }]);
});

void t.test('connections with one credential share one recheck for all queued messages', async (t) => {
  const { url, tell, asked } = await liveRig(t);
  const clients = await Promise.all(Array.from({ length: 10 }, () => followed(url, path, protocols('good'))));
  asked.count = 0;
  for (let index = 0; index < 100; index += 1) tell('open', 'thing.moved', { index });
  for (const client of clients)
    t.strictSame(
      (await client.until(100)).map(({ data }) => data['index']),
      Array.from({ length: 100 }, (_, index) => index),
      'in order',
    );
  t.ok(asked.count <= 2, `asked ${asked.count} times`);
});

void t.test('messages of clients are ignored, and too many end the connection', async (t) => {
  const { url, tell } = await liveRig(t);
  const quiet = await followed(url, path);
  quiet.socket.send('hello');
  quiet.socket.ping();
  const flood = async (say: (client: LiveClient) => void, code: number): Promise<void> => {
    const client = await followed(url, path);
    say(client);
    t.match(await client.closed, { code });
  };
  await flood(({ socket }) => socket.send('x'.repeat(1025)), 1009);
  await flood(({ socket }) => {
    for (let index = 0; index < 30; index += 1) socket.send('x');
  }, 1006);
  await flood(({ socket }) => {
    for (let index = 0; index < 30; index += 1) socket.ping();
  }, 1006);
  tell('open', 'thing.moved');
  t.equal((await quiet.until(1)).length, 1, 'the others continue');
});

/** A client that has upgraded and then does nothing. */
async function idle(port: number, at = path): Promise<Socket> {
  const socket = connect(port, '127.0.0.1', () => socket.write(upgrade(at)));
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}
const ended = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) =>
    socket
      .on('error', () => undefined)
      .once('close', resolve)
      .resume(),
  );

void t.test('a client that does not answer pings is disconnected, one that does is not', async (t) => {
  const { rig, url } = await liveRig(t, { silentMs: 0, answerMs: 500 });
  const good = await followed(url, path);
  await ended(await idle(rig.port));
  t.ok(good.isOpen);
});

void t.test('a client that does not read is disconnected, and other clients lose no message', async (t) => {
  const { rig, url, tell } = await liveRig(t, { queuedBytes: 64 * 1024 });
  const stuck = await idle(rig.port);
  stuck.pause();
  const good = await followed(url, path);
  const data = { text: 'x'.repeat(15_000) };
  let sent = 0;
  let isOver = false;
  stuck.on('error', () => undefined).once('close', () => (isOver = true));
  while (!isOver && sent < 2000) {
    tell('open', 'thing.moved', data);
    sent += 1;
    await good.until(sent);
    // Unread data keeps a paused socket from detecting its end.
    if (sent % 100 === 0) stuck.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
  }
  t.ok(isOver, `after ${sent} messages`);
  t.ok(good.isOpen);
});

void t.test('frames that break the protocol end the connection', async (t) => {
  const { rig } = await liveRig(t);
  for (const bytes of [
    [0x81, 0x01, 0x61],
    [0xf1, 0x80, 0, 0, 0, 0],
    [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  ]) {
    const socket = await idle(rig.port);
    socket.write(Buffer.from(bytes));
    await ended(socket);
  }
  const eager = connect(rig.port, '127.0.0.1', () => eager.write(upgrade(path) + 'x'.repeat(20_000)));
  await ended(eager);
  const gone = connect(rig.port, '127.0.0.1', () => {
    gone.write(upgrade(path));
    gone.destroy();
  });
  await ended(gone);
  t.equal((await rig.call('GET', '/healthz')).status, 200);
});

void t.test('a stop closes every client with 1001 and accepts no new one', async (t) => {
  const { rig, url } = await liveRig(t);
  const clients = [await followed(url, path), await followed(url, hidden, protocols('good'))];
  const stuck = await idle(rig.port);
  const stopped = rig.server.stop(1_000);
  for (const client of clients) t.strictSame(await client.closed, { code: 1001, reason: 'The server stops' });
  await Promise.all([stopped, ended(stuck)]);
  await t.rejects(follow(url, path));
});

void t.test('a message that is too large is rejected', async (t) => {
  const { url, tell } = await liveRig(t);
  const client = await followed(url, path);
  t.throws(() => tell('open', 'thing.moved', { text: 'x'.repeat(20_000) }), /larger than 16384 bytes/);
  t.doesNotThrow(() => tell('nobody', 'thing.moved', { text: 'x'.repeat(20_000) }));
  t.ok(client.isOpen);
});

void t.test('a followed resource that does not exist is 404', async (t) => {
  const missing = { ...things_, follow: () => Promise.reject(new NotFound('There is no such part')) };
  const { url } = await liveRig(t, {}, { channels: [{ plugin: 'things', channel: missing }] });
  t.match(await notFollowed(url, path), { status: 404, body: { error: 'There is no such part' } });
});

void t.test('an external plugin has a time limit to resolve the followed resource', async (t) => {
  const late = { ...things_, follow: () => new Promise<string>(() => undefined) };
  const { url } = await liveRig(
    t,
    {},
    { channels: [{ plugin: 'things', channel: late, outside: true }], answerMs: 20 },
  );
  t.match(await notFollowed(url, path), { status: 503, body: { error: 'The answer took too long' } });
});
