// Access rechecks of long requests: access that is lost while a body arrives or an answer is sent.
import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import Joi from 'joi';
import t, { type Test } from 'tap';
import { api, ByteStream, object, type RawBody, type Route } from '#adapters/http/descriptor/route';
import { accessDecision, anyone, changes, reads, signedIn, type AccessDecision } from '#core/kernel/access/access';
import type { Authenticator } from '#core/kernel/access/credentials';
import { Conflict, Unauthorized } from '#core/kernel/errors';
import { authenticator, bearer, now, scopes, startRig, things, type Rig } from './rig.ts';

const common = { scope: null, meter: 'none', summary: 'For a test' } as const;
const count = object<{ bytes: number }>({ bytes: Joi.number().required() });

/** A rig in which credentials and things can be lost, with counters of authentications and lookups. */
async function losing(
  t: Test,
  routes: (parts: { readonly access: AccessDecision; readonly done: string[] }) => readonly Route[],
  recheckMs = 0,
) {
  const state = { credential: true, thing: true, asked: 0, found: 0, done: [] as string[], at: now };
  const door: Authenticator = {
    async authenticate(presented, context) {
      state.asked += 1;
      // A database also answers in a later event loop iteration, after the rest of the request has arrived.
      await new Promise((resolve) => setImmediate(resolve));
      if (!state.credential || context.now > now) throw new Unauthorized('The credential is not valid');
      return await authenticator.authenticate(presented, context);
    },
    renew: (_, presented, context) => door.authenticate(presented, context),
  };
  const access = accessDecision({
    isPermission: () => true,
    scopes,
    adminGrants: () => undefined,
    resolvers: () => [
      {
        async thing(caller, params) {
          state.found += 1;
          return state.thing ? await things.thing?.(caller, params) : undefined;
        },
      },
    ],
  });
  const rig = await startRig(t, routes({ access, done: state.done }), {
    authenticator: door,
    access,
    recheckMs,
    clock: { now: () => state.at },
  });
  return { rig, state };
}

/** The kinds of loss during a request, and the status of each. */
const losses = [
  ['the credential is revoked', (state: { credential: boolean }) => void (state.credential = false), 401],
  ['the credential expires', (state: { at: Date }) => void (state.at = new Date(now.getTime() + 1)), 401],
  ['the thing is hidden', (state: { thing: boolean }) => void (state.thing = false), 404],
] as const;

/** Sends a request whose body arrives in two parts, with `between` called in between. */
async function inTwoParts(
  { rig: { port }, state }: Awaited<ReturnType<typeof losing>>,
  method: string,
  path: string,
  parts: readonly [string, string],
  between: () => void,
): Promise<{ readonly status: number; readonly text: string }> {
  const length = String(parts[0].length + parts[1].length);
  const headers = { ...bearer('good'), 'content-type': 'application/json', 'content-length': length };
  const message = send({ host: '127.0.0.1', port, method, path, headers, agent: false });
  const { found } = state;
  message.write(parts[0]);
  while (state.found === found) await new Promise((resolve) => setTimeout(resolve, 1));
  between();
  message.end(parts[1]);
  const [answer] = (await once(message, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, text: Buffer.concat((await answer.toArray()) as Uint8Array[]).toString() };
}

const uploads = ({ done }: { readonly done: string[] }): readonly Route[] => [
  api({
    ...common,
    id: 'put',
    method: 'PUT',
    path: '/things/{name}',
    access: changes('thing', 'thing.write'),
    body: object<{ text: string }>({ text: Joi.string().required() }),
    result: count,
    run: (_, { body }) => ({ bytes: done.push(body.text) }),
  }),
  api({
    ...common,
    id: 'post',
    method: 'POST',
    path: '/things/{name}/bytes',
    access: changes('thing', 'thing.write'),
    body: 'raw',
    result: count,
    async run(_, { body }: { readonly body: RawBody }) {
      const chunks = await Array.fromAsync(body);
      return { bytes: done.push(Buffer.concat(chunks).toString()) };
    },
  }),
];

void t.test('a slow body is not acted on if its caller loses access while it arrives', async (t) => {
  const parts = ['{"text": "one', ' two"}'] as const;
  for (const [what, lose, status] of losses) {
    const losable = await losing(t, uploads, 60_000);
    const { state } = losable;
    const path = '/api/v1/things/open';
    t.equal((await inTwoParts(losable, 'PUT', path, parts, () => undefined)).status, 200);
    t.equal((await inTwoParts(losable, 'PUT', path, parts, () => lose(state))).status, status, what);
    t.strictSame(state.done, ['one two']);
  }
  for (const [what, lose, status] of losses) {
    const losable = await losing(t, uploads, 60_000);
    const { state } = losable;
    const path = '/api/v1/things/open/bytes';
    t.equal((await inTwoParts(losable, 'POST', path, ['a', 'b'], () => lose(state))).status, status, what);
    t.strictSame(state.done, [], 'also if the handler reads the bytes itself');
  }
});

void t.test('access is decided once for a request that arrives at once and is answered at once', async (t) => {
  const { rig, state } = await losing(
    t,
    (parts) => [
      ...uploads(parts),
      api({
        ...common,
        id: 'get',
        method: 'GET',
        path: '/things/{name}',
        access: reads('thing', 'thing.read'),
        result: count,
        run: () => ({ bytes: 1 }),
      }),
    ],
    60_000,
  );
  const options = { headers: { ...bearer('good'), 'content-type': 'application/json' } };
  t.equal((await rig.call('GET', '/api/v1/things/open', options)).status, 200);
  t.equal((await rig.call('PUT', '/api/v1/things/open', { ...options, body: '{"text":"x"}' })).status, 200);
  t.strictSame([state.asked, state.found], [2, 2]);
});

/** An answer of two parts; the second is sent when its promise resolves. */
function answers(rule: 'inside' | 'outside', method: 'GET' | 'POST', meter: 'none' | 'api.read') {
  const second = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const source = async function* source(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from('first');
      await second.promise;
      yield Buffer.from('second');
    } finally {
      closed.resolve();
    }
  };
  const routes = ({ access }: { readonly access: AccessDecision }): readonly Route[] => [
    api({
      ...common,
      meter,
      id: 'bytes',
      method,
      path: '/things/{name}/bytes',
      access: rule === 'outside' ? reads('thing', 'thing.read') : anyone,
      result: 'bytes',
      async run(call, { params }) {
        if (rule === 'inside')
          await access.decide(call, reads('thing', 'thing.read'), undefined, { name: params.name });
        return new ByteStream(source(), { type: 'a/b' });
      },
    }),
  ];
  return { routes, second, closed };
}

async function read({ port }: Rig, method: string, begun: () => void): Promise<string> {
  const message = send({ host: '127.0.0.1', port, method, path: '/api/v1/things/open/bytes', headers: bearer('good') });
  message.end();
  const [answer] = (await once(message, 'response')) as [IncomingMessage];
  let text = '';
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (text === '') begun();
      text += chunk.toString();
    }
  } catch {
    return `${text} and no end`;
  }
  return text;
}

void t.test(
  'an answer is cut off when its caller loses access while it is sent, and its source is closed',
  async (t) => {
    for (const [what, lose] of losses) {
      for (const [rule, method] of [
        ['outside', 'GET'],
        // Like a git fetch, whose handler decides access itself.
        ['inside', 'POST'],
      ] as const) {
        const { routes, second, closed } = answers(rule, method, 'api.read');
        const { rig, state } = await losing(t, routes);
        const text = await read(rig, method, () => {
          lose(state);
          second.resolve();
        });
        t.equal(text, 'first and no end', `${what}: ${method}`);
        await closed.promise;
        t.strictSame(rig.logged, [], 'not logged as a fault');
      }
    }
  },
);

void t.test('the answer to a change is sent completely, and so is an answer whose caller keeps access', async (t) => {
  const change = answers('inside', 'POST', 'none');
  const made = await losing(t, change.routes);
  const told = await read(made.rig, 'POST', () => {
    made.state.credential = false;
    change.second.resolve();
  });
  t.equal(told, 'firstsecond');
  const reading = answers('outside', 'GET', 'none');
  const kept = await losing(t, reading.routes);
  t.equal(await read(kept.rig, 'GET', () => reading.second.resolve()), 'firstsecond');
  t.ok(kept.state.asked > 2, 'rechecked while it was sent');
});

void t.test('a slow answer of any length is not sent if its caller has lost access meanwhile', async (t) => {
  for (const length of [1, 1_000_000]) {
    const { rig, state } = await losing(t, () => [
      api({
        ...common,
        id: 'slow',
        method: 'GET',
        path: '/slow',
        access: signedIn,
        result: object<{ text: string }>({ text: Joi.string().required() }),
        run() {
          state.credential = false;
          return { text: 'x'.repeat(length) };
        },
      }),
    ]);
    t.equal((await rig.call('GET', '/api/v1/slow', { headers: bearer('good') })).status, 401, String(length));
  }
});

void t.test('a byte answer that is not started because access was lost closes its source', async (t) => {
  let closed = 0;
  const { rig, state } = await losing(t, () => [
    api({
      ...common,
      id: 'bytes',
      method: 'GET',
      path: '/bytes',
      access: signedIn,
      result: 'bytes',
      run() {
        state.credential = false;
        const source: AsyncIterableIterator<Uint8Array> = {
          [Symbol.asyncIterator]: () => source,
          next: () => Promise.reject(new Error('nobody may read it')),
          async return() {
            closed += 1;
            return { done: true, value: undefined };
          },
        };
        return new ByteStream(source, { type: 'text/plain' });
      },
    }),
  ]);
  t.equal((await rig.call('GET', '/api/v1/bytes', { headers: bearer('good') })).status, 401);
  t.equal(closed, 1);
});

void t.test(
  'a change that fails with a conflict after access was lost returns the loss, otherwise the conflict',
  async (t) => {
    let lose = (): void => undefined;
    const { rig, state } = await losing(t, () => [
      api({
        ...common,
        id: 'change',
        method: 'POST',
        path: '/things/{name}/change',
        params: object<{ name: string }>({ name: Joi.string().required() }),
        access: changes('thing', 'thing.write'),
        statuses: [409],
        result: count,
        run: () => {
          lose();
          throw new Conflict('Something this refers to does not exist any more');
        },
      }),
    ]);
    const change = async () =>
      (await rig.call('POST', '/api/v1/things/open/change', { headers: bearer('good') })).status;
    t.equal(await change(), 409);
    for (const [what, happens, status] of losses) {
      Object.assign(state, { credential: true, thing: true, at: now });
      lose = () => happens(state);
      t.equal(await change(), status, what);
    }
  },
);
