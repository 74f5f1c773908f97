// Answers that are not those of a healthy OpenSearch: queries and writes reject, and nothing secret is reported.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { openDoor, reply, type Door } from './door.ts';
import { keepingLog, opened } from './node-under-test.ts';
import { file, filesWith, refusal, repositoryId, source } from './samples.ts';

const index = {
  'hexforge-v1': {
    aliases: { hexforge: {}, 'hexforge-v1-0123456789abcdef': {} },
    mappings: { _meta: { hexforge_schema: 1 } },
  },
};
const found = { took: 1, timed_out: false, _shards: { failed: 0 }, hits: { total: { value: 0 }, hits: [] } };

/** Answers probes like a healthy OpenSearch, and everything else with `other`. */
function healthy(door: Door, other: (path: string, answer: ServerResponse) => void): void {
  door.intercept(({ url = '' }, answer) => {
    if (url === '/') reply(answer, 200, JSON.stringify({ version: { distribution: 'opensearch', number: '2.19.6' } }));
    else if (url.startsWith('/hexforge-v*')) reply(answer, 200, JSON.stringify(index));
    else other(url, answer);
    return true;
  });
}

const withQueries = async (
  t: Test,
  other: (path: string, answer: ServerResponse) => void,
  timeout = 1000,
): Promise<readonly string[]> => {
  const door = await openDoor(t);
  healthy(door, other);
  const { backend, complaint } = await opened(t, door.url, { timeout });
  t.equal(complaint(), undefined);
  const [first] = await backend.indexes();
  const within = {
    readable: { reader: { kind: 'anonymous' as const }, ids: async () => new Set([repositoryId]) },
    limit: 10,
    signal: new AbortController().signal,
  };
  const filter = { languages: [], paths: [] };
  return Promise.all(
    [
      filesWith(backend, 'word'),
      backend.symbols({ ...within, ...filter, name: 'name', kinds: [] }),
      backend.documents({ ...within, section: 'issues', words: ['word'], sort: 'recent' }),
      backend.symbolsOf(repositoryId, 'a.ts'),
      backend.size(),
      first?.state(source),
      first?.entries(source, undefined, 10),
      first?.sources(undefined, 10),
      first?.write(source, { files: [file('a.ts', 'text')] }, 'state'),
      first?.write(source, { moved: [{ from: 'a', to: 'b', language: '' }] }, 'state'),
    ].map(refusal),
  );
};

const bodies: Readonly<Record<string, string>> = {
  'no JSON': '<html>Bad gateway</html>',
  'half of it': '{"took":1,"timed_out":fal',
  nothing: '',
  null: 'null',
  'a list': '[1,2,3]',
  'an empty object': '{}',
  'members of other types':
    '{"timed_out":false,"_shards":{"failed":"0"},"hits":[],"_source":7,"errors":"no","docs":{}}',
  'hits without fields': JSON.stringify({
    ...found,
    found: true,
    hits: { total: { value: 1 }, hits: [{ _score: 1, sort: [] }] },
    aggregations: { symbols: { matching: {} } },
  }),
  'a prototype': '{"__proto__":{"hits":1},"timed_out":false}',
  'deep nesting': '['.repeat(100_000),
};

for (const [what, body] of Object.entries(bodies))
  void t.test(`an answer with ${what} is an error`, async (t) => {
    const outcomes = await withQueries(t, (_, answer) => reply(answer, 200, body));
    t.strictSame([...new Set(outcomes)], ['unavailable']);
  });

for (const [what, body] of [
  ['that ran out of time', { ...found, timed_out: true }],
  ['of a part of the index', { ...found, _shards: { failed: 1 } }],
] as const)
  void t.test(`an answer ${what} is an error`, async (t) => {
    const outcomes = await withQueries(t, (_, answer) => reply(answer, 200, JSON.stringify(body)));
    t.notOk(outcomes.slice(0, 3).includes('none'), outcomes.join(', '));
  });

void t.test('an answer that never ends, breaks off, is too long, or is compressed is an error', async (t) => {
  for (const [what, expected, answered] of [
    [
      'never ends',
      'timed_out',
      (answer) => {
        answer.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => answer.write(' '), 20);
        answer.on('close', () => clearInterval(timer));
      },
    ],
    ['never begins', 'timed_out', () => undefined],
    [
      'breaks off',
      'unavailable',
      (answer) => {
        answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        answer.write('{');
        setImmediate(() => answer.destroy());
      },
    ],
    [
      'is too long',
      'unavailable',
      (answer) => {
        answer.writeHead(200, { 'content-type': 'application/json' });
        answer.on('error', () => undefined);
        const chunk = Buffer.alloc(1 << 20, ' ');
        const more = (): void => {
          if (!answer.destroyed && answer.write(chunk)) setImmediate(more);
          else answer.once('drain', more);
        };
        more();
      },
    ],
    [
      'is compressed',
      'unavailable',
      (answer) => {
        answer.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        answer.end(gzipSync(JSON.stringify(found)));
      },
    ],
  ] as const satisfies readonly (readonly [string, string, (answer: ServerResponse) => void])[]) {
    const door = await openDoor(t);
    healthy(door, (_, answer) => answered(answer));
    const { backend } = await opened(t, door.url, { timeout: 1000 });
    t.equal(await refusal(filesWith(backend, 'word')), expected, what);
  }
});

void t.test('a query that is aborted while OpenSearch is slow ends at once, with the reason', async (t) => {
  const door = await openDoor(t);
  healthy(door, () => undefined);
  const { backend } = await opened(t, door.url, { timeout: 4000 });
  const controller = new AbortController();
  const asked = filesWith(backend, 'word', controller.signal);
  setTimeout(() => controller.abort(new Error('the caller has left')), 50);
  await t.rejects(asked, { message: 'the caller has left' });
});

void t.test('rejected credentials, and a server that is not OpenSearch, are named without secrets', async (t) => {
  for (const [status, body, says] of [
    [401, '{}', /rejects the credentials/],
    [403, '{"error":{"type":"security_exception","reason":"no permissions for sesame"}}', /does not permit/],
    [200, '{"version":{"number":"8.1.0"}}', /is not OpenSearch/],
    [301, '', /something else/],
    [500, '{"error":{"type":"DROP <sesame>"}}', /answered 500$/],
  ] as const) {
    const door = await openDoor(t);
    const authorizations = new Set<string | undefined>();
    door.intercept(({ headers }, answer) => {
      authorizations.add(headers.authorization);
      reply(answer, status, body);
      return true;
    });
    const url = new URL(door.url);
    url.username = 'ada';
    url.password = 'sesame';
    const { backend, complaint, lines } = await opened(t, url.href);
    t.match(complaint(), says);
    await t.rejects(filesWith(backend, 'word'), { message: complaint() ?? '' });
    t.notMatch(lines.join('\n'), /sesame|127\.0\.0\.1|YWRhOnNlc2FtZQ/);
    t.strictSame([...authorizations], [`Basic ${Buffer.from('ada:sesame').toString('base64')}`]);
  }
});

void t.test('a header for authorization replaces a user name, which replaces that of the address', async (t) => {
  for (const [options, expected] of [
    [{ username: 'eve', password: 'p:w' }, `Basic ${Buffer.from('eve:p:w').toString('base64')}`],
    [{ username: 'eve', password: 'p:w', authorization: 'Bearer token' }, 'Bearer token'],
  ] as const) {
    const door = await openDoor(t);
    const seen = new Set<string | undefined>();
    door.intercept(({ headers }, answer) => {
      seen.add(headers.authorization);
      reply(answer, 401, '{}');
      return true;
    });
    await opened(t, door.url.replace('http://', 'http://ada:sesame@'), options);
    t.strictSame([...seen], [expected]);
  }
});

void t.test('a file of certificates that is missing is named', async (t) => {
  const { complaint } = await opened(t, 'https://127.0.0.1:1', { caFile: '/nowhere/ca.pem' });
  t.match(complaint(), /file of the certificates/);
});

void t.test('a back end that was never opened, or is closed, holds nothing', async (t) => {
  const { log } = keepingLog();
  const { openSearch } = await import('#adapters/opensearch/index');
  const made = openSearch({ url: 'http://127.0.0.1:1', prefix: 'hexforge', shards: 1, timeout: 1000, log });
  t.equal(await refusal(filesWith(made.backend, 'word')), 'unavailable');
  t.equal(await refusal(made.backend.indexes()), 'unavailable');
  await made.close();
  await made.close();
});
