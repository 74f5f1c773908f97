// The LDAP directory on a server that answers slowly, wrongly or with hostile bytes.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Connection } from '#adapters/ldap/wire/connection';
import { Pool } from '#adapters/ldap/wire/pool';
import { answering, ber, entry, fakeServer, message, result, type Request } from './fake-server.ts';
import { fault, opened } from './directory-under-test.ts';

const text = (value: string): Buffer => ber(0x04, value);
const options = { timeoutSeconds: 2, connections: 4 } as const;

void t.test("searches and users' binds use separate connections, and a user's is used once", async (t) => {
  const server = await fakeServer(t, answering());
  const { check } = opened(t, server.url, options);
  for (let round = 0; round < 2; round += 1) t.equal((await check('ada'))?.username, 'ada');
  t.strictSame(
    server.requests.filter(({ kind }) => kind !== 'other').map(({ kind, connection }) => `${connection} ${kind}`),
    ['1 bind', '1 search', '2 bind', '1 search', '3 bind'],
  );
  const [service, search, user] = server.requests.map(({ bytes }) => bytes.toString('latin1'));
  t.match(service, /cn=reader.*service-secret/);
  t.notMatch(search, /secret|password/);
  t.match(user, /uid=ada,dc=example.*ada-password/);
});

void t.test('service connections that are not used are closed', async (t) => {
  const server = await fakeServer(t, answering());
  const { signal } = new AbortController();
  const address = {
    host: '127.0.0.1',
    port: Number(new URL(server.url).port),
    security: 'none',
    ca: undefined,
  } as const;
  const pool = new Pool(() => Connection.open(address, signal), 60);
  t.teardown(() => pool.close());
  const used: Connection[] = [];
  const use = async (): Promise<void> =>
    pool.run(async (connection) => {
      used.push(connection);
      await connection.bind('cn=reader', 'secret', signal);
    }, signal);
  await Promise.all([use(), use()]);
  await use();
  t.equal(new Set(used).size, 2, 'one of them was used again');
  await sleep(250);
  t.strictSame(
    used.map(({ isOpen }) => isOpen),
    [false, false, false],
  );
  await use();
  t.equal(new Set(used).size, 3);
});

void t.test('a directory that is closed ends checks at once', async (t) => {
  const server = await fakeServer(
    t,
    answering({ bind: ({ id, connection }) => (connection === 1 ? message(id, result(0x61)) : undefined) }),
  );
  const made = opened(t, server.url, options);
  const checking = fault(made.check('ada'));
  await sleep(100);
  const begin = performance.now();
  made.close();
  t.equal(await checking, 'The directory is closed');
  t.ok(performance.now() - begin < 500);
  t.strictSame(made.lines, [], 'and this is no fault of the directory');
});

void t.test('a name that is not found costs a bind too', async (t) => {
  const server = await fakeServer(
    t,
    answering({
      search: ({ id }) => message(id, result(0x65)),
      bind: ({ id, connection }) => message(id, result(0x61, connection === 1 ? 0 : 49)),
    }),
  );
  const { check } = opened(t, server.url, options);
  t.equal(await check('nobody'), undefined);
  t.strictSame(
    server.requests.map(({ kind }) => kind),
    ['bind', 'search', 'bind'],
  );
});

void t.test('results of a bind: a refusal of the password, or a fault', async (t) => {
  let code = 0;
  const server = await fakeServer(
    t,
    answering({
      bind: ({ id, bytes }) =>
        message(id, result(0x61, bytes.includes('uid=ada') ? code : 0, 'ada-password is wrong, data 52e')),
    }),
  );
  const { check } = opened(t, server.url, options);
  for (code of [49, 48, 32, 10]) t.equal(await check('ada'), undefined, `code ${code}`);
  for (code of [1, 2, 8, 13, 51, 52, 53, 80, 14]) {
    const message_ = await fault(check('ada'));
    t.match(message_, `answered the bind with result code ${code}`);
    t.notMatch(message_, /password|52e/, 'without the text of the directory');
  }
});

void t.test('results of a search', async (t) => {
  let answer: (id: number) => Buffer = () => Buffer.alloc(0);
  const server = await fakeServer(t, answering({ search: ({ id }) => answer(id) }));
  const { check } = opened(t, server.url, options);
  const ada = { uid: ['ada'] };
  const dn = 'uid=ada,dc=example';
  for (const code of [4, 10]) {
    answer = (id) => Buffer.concat([message(id, entry(dn, ada)), message(id, result(0x65, code))]);
    t.equal(await check('ada'), undefined, `code ${code}, also with an entry`);
  }
  for (const code of [1, 3, 11, 32, 50, 51, 52]) {
    answer = (id) => message(id, result(0x65, code));
    t.match(await fault(check('ada')), `answered the search with result code ${code}`);
  }
  answer = (id) =>
    Buffer.concat([
      message(id, ber(0x73, text('ldap://198.51.100.1/dc=other'))),
      message(id, entry(dn, ada)),
      message(id, result(0x65)),
    ]);
  t.equal((await check('ada'))?.username, 'ada', 'references beside the entry are ignored');
  answer = (id) => Buffer.concat([message(id, ber(0x73, text('ldap://198.51.100.1/'))), message(id, result(0x65))]);
  t.equal(await check('ada'), undefined, 'a reference alone is no entry');
  for (const name of ['', 'EXTERNAL', 'PLAIN']) {
    answer = (id) => Buffer.concat([message(id, entry(name, ada)), message(id, result(0x65))]);
    t.match(await fault(check('ada')), /entry without a name/, 'whose bind would be anonymous, or one of SASL');
  }
  answer = (id) =>
    Buffer.concat([message(id, entry(dn, { ...ada, dn: ['uid=eve,dc=example'] })), message(id, result(0x65))]);
  t.match(await fault(check('ada')), /an attribute is named "dn"/);
  t.ok(
    server.requests.every(({ kind, bytes }) => kind !== 'bind' || !bytes.includes('uid=eve')),
    'an attribute "dn" does not replace the name of the entry',
  );
});

void t.test('an answer that arrives byte by byte is read', async (t) => {
  const server = await fakeServer(t, (request, socket) => {
    answering()(request, {
      write: (bytes: Buffer) => {
        void (async () => {
          for (const byte of bytes) {
            socket.write(Buffer.from([byte]));
            await new Promise((resolve) => setImmediate(resolve));
          }
        })();
      },
    } as unknown as typeof socket);
  });
  t.equal((await opened(t, server.url, options).check('ada'))?.username, 'ada');
});

const repeated = (bytes: Buffer, times: number): Buffer => Buffer.alloc(bytes.length * times, bytes);

/** Answers to a search that no server may give. */
const hostile: Readonly<Record<string, (id: number) => Buffer>> = {
  'no LDAP': () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'an indefinite length': () => Buffer.from([0x30, 0x80, 0x02, 0x01]),
  'a length of eight bytes': () => Buffer.from([0x30, 0x88, 1, 1, 1, 1, 1, 1, 1, 1]),
  'a length of 4 GB': () => Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff]),
  'a message without an operation': (id) => ber(0x30, ber(0x02, id)),
  'an unknown operation': (id) => message(id, ber(0x7f, '')),
  'an operation longer than its message': (id) => ber(0x30, ber(0x02, id), Buffer.from([0x65, 0x50, 0x0a])),
  'a result without a code': (id) => message(id, ber(0x65)),
  'a value longer than its entry': (id) =>
    message(
      id,
      ber(0x64, text('uid=ada'), ber(0x30, ber(0x30, text('uid'), Buffer.from([0x31, 0x03, 0x04, 0x7f, 0x61])))),
    ),
  'attributes as a text': (id) => message(id, ber(0x64, text('uid=ada'), ber(0x04, 0x30, 0x7f))),
  'an attribute as a text': (id) => message(id, ber(0x64, text('uid=ada'), ber(0x30, ber(0x04, 0x04, 0x7f)))),
  'a reference longer than its message': (id) => message(id, ber(0x73, Buffer.from([0x04, 0x7f, 0x61]))),
  'a notice of disconnection': () => message(0, result(0x78, 52)),
  'an entry of 3 MB': (id) => {
    const piece = message(id, entry('uid=ada', { uid: ['x'.repeat(60_000)] }));
    return Buffer.concat(Array.from({ length: 50 }, () => piece));
  },
  '100,000 small messages': (id) => repeated(message(id + 1, result(0x61)), 100_000),
  'an entry with 200,000 values': (id) =>
    message(
      id,
      ber(
        0x64,
        text('uid=ada'),
        ber(0x30, ber(0x30, text('uid'), ber(0x31, Buffer.alloc(400_000, Buffer.from([0x04, 0x00]))))),
      ),
    ),
  '200,000 references': (id) => repeated(message(id, ber(0x73)), 200_000),
};

for (const [what, answer] of Object.entries(hostile))
  void t.test(`a server that answers a search with ${what} is a fault`, async (t) => {
    const server = await fakeServer(t, answering({ search: ({ id }) => answer(id) }));
    const { check } = opened(t, server.url, { ...options, timeoutSeconds: 1 });
    let longest = 0;
    let last = performance.now();
    const ticks = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const words = await fault(check('ada'));
    clearInterval(ticks);
    t.match(words, /directory|search/i);
    t.notMatch(words, /password|secret/);
    t.ok(longest < 150, `the event loop was blocked for ${Math.round(longest)} ms`);
  });

void t.test('a server that does not answer, or closes the connection, is a fault in time', async (t) => {
  for (const kind of ['bind', 'search'] as const) {
    const silent = await fakeServer(t, answering({ [kind]: () => undefined }));
    const begin = performance.now();
    t.match(await fault(opened(t, silent.url, { ...options, timeoutSeconds: 0.3 }).check('ada')), /within 0.3 s/);
    t.ok(performance.now() - begin < 1000);
    const closing = await fakeServer(t, (request, socket) =>
      request.kind === kind ? socket.destroy() : answering()(request, socket),
    );
    t.match(await fault(opened(t, closing.url, options).check('ada')), /closed|ECONNRESET/);
  }
});

void t.test('StartTLS that is refused or tampered with sends no password', async (t) => {
  const started = (id: number): Buffer => message(id, result(0x78));
  for (const [what, answer, says] of [
    ['a refusal', (id: number) => message(id, result(0x78, 2)), /refused StartTLS \(result code 2\)/],
    ['another message', (id: number) => message(id, result(0x61)), /did not answer to StartTLS/],
    ['another id', (id: number) => started(id + 1), /did not answer to StartTLS/],
    // Kept in the library's buffer, it would begin the answer to the first bind (CVE-2011-0411 in other protocols).
    ['bytes behind the answer', (id: number) => Buffer.concat([started(id), Buffer.from([0x30])]), /sent more than/],
    ['no LDAP', () => Buffer.from('220 ready'), /wrong form/],
    [
      'an endless answer',
      () => Buffer.concat([Buffer.from([0x30, 0x83, 0x0f, 0xff, 0xff]), Buffer.alloc(8000)]),
      /too long/,
    ],
    ['no TLS', started, /encrypted connection/],
  ] as const) {
    let asked: Request[] = [];
    const server = await fakeServer(t, (request, socket) => {
      asked = [...asked, request];
      if (request.kind === 'starttls') socket.write(answer(request.id));
      else socket.destroy();
    });
    t.match(await fault(opened(t, server.url, { ...options, startTls: true }).check('ada')), says, what);
    t.ok(
      asked.every(({ bytes }) => !bytes.includes('service-secret') && !bytes.includes('ada-password')),
      what,
    );
  }
});

void t.test('a group that cannot be read is a fault, not "no administrator"', async (t) => {
  let searches = 0;
  let code = 0;
  const server = await fakeServer(
    t,
    answering({
      search: ({ id }) => {
        searches += 1;
        if (searches % 2 === 0) return message(id, result(0x65, code));
        return Buffer.concat([message(id, entry('uid=ada,dc=example', { uid: ['ada'] })), message(id, result(0x65))]);
      },
    }),
  );
  const { check } = opened(t, server.url, { ...options, adminGroup: 'cn=admins,dc=example' });
  for (code of [50, 51, 10, 80]) t.match(await fault(check('ada')), `search with result code ${code}`);
  code = 32;
  t.equal((await check('ada'))?.isAdmin, undefined, 'a group that is not there decides nothing');
  code = 0;
  t.equal((await check('ada'))?.isAdmin, false);
});
