// A listening server over route descriptors, with stubs for everything but the access decision.
import { request as send, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import Joi from 'joi';
import type { AccessLogEntry } from '#adapters/http/request/exchange';
import { object, type Route } from '#adapters/http/descriptor/route';
import { createHttpServer, type HttpOptions, type HttpServer } from '#adapters/http/server';
import { currentCaller } from '#adapters/system/current-caller';
import { accessDecision, anyone, type ResourceResolver } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import type { Authenticator } from '#core/kernel/access/credentials';
import { Unauthorized } from '#core/kernel/errors';
import { LiveFeed } from '#core/kernel/storage/live';
import type { Budget, Count, RateCounter } from '#core/kernel/rate';
import { scopeCatalogue } from '#core/kernel/access/scopes';

declare module '#core/kernel/access/access' {
  interface Resources {
    thing: { readonly name: string };
  }
  interface Permissions {
    'thing.read': 'thing';
    'thing.write': 'thing';
  }
}
declare module '#core/kernel/access/scopes' {
  interface Scopes {
    'thing:read': true;
    'thing:write': true;
    'thing:never': true;
  }
}
declare module '#core/kernel/ports' {
  interface OptionalPorts {
    Lens: { readonly focus: number };
    Shutter: { readonly speed: number };
  }
}

export const scopes = scopeCatalogue([
  { name: 'thing:read', pat: 'thing:read', oauth: 'read:thing' },
  { name: 'thing:write', pat: 'thing:write', oauth: 'write:thing', includes: ['thing:read'] },
  { name: 'thing:never' },
]);

const person = (username: string, credential: Partial<User['credential']> = {}, isAdmin = false): User => ({
  kind: 'user',
  id: `id-${username}`,
  username,
  isAdmin,
  credential: { kind: 'session', id: `c-${username}`, scopes: 'all', via: 'bearer', ...credential },
});

/** Token → user. */
export const tokens: Readonly<Record<string, User>> = {
  good: person('alice'),
  other: person('bob'),
  root: person('root', {}, true),
  'pat-read': person('alice', { kind: 'pat', scopes: ['thing:read'] }),
  'pat-none': person('alice', { kind: 'pat', scopes: [] }),
  'oat-write': person('alice', { kind: 'oauth', scopes: ['write:thing'] }),
  'oat-bound': person('alice', { kind: 'oauth', scopes: ['write:thing'], audience: 'https://elsewhere' }),
};

export const authenticator: Authenticator = {
  async authenticate(presented, { passwords }) {
    const user = tokens[presented.via === 'basic' ? presented.password : presented.token];
    if (user !== undefined) return { ...user, credential: { ...user.credential, via: presented.via } };
    if (presented.via === 'basic' && passwords !== undefined) {
      await passwords();
      if (presented.username === 'alice' && presented.password === 'pass:word')
        return person('alice', { kind: 'password', via: 'basic' });
    }
    throw new Unauthorized('The credential is not valid');
  },
  renew: (_, presented, context) => authenticator.authenticate(presented, context),
};

/** `open` is readable by all and writable by alice; `closed` is readable and writable only by alice. */
export const things: ResourceResolver = {
  async thing(caller, { name = '' }) {
    if (name !== 'open' && name !== 'closed') return undefined;
    const owner = caller.kind === 'user' && caller.username === 'alice';
    return {
      resource: { name } as never,
      readable: owner || name === 'open',
      may: (permission) => owner || permission === 'thing.read',
    };
  },
};

/** The members of a route that anyone may call. */
export const open = {
  access: anyone,
  scope: null,
  summary: 'For a test',
  result: object<{ ok: boolean }>({ ok: Joi.boolean().required() }),
  run: () => ({ ok: true }),
} as const;

export const fixed = (limit: number): Budget => ({ limit, windowSeconds: 60, window: 'fixed' });

/** Counts in one fixed window that never ends. */
export function counter(): RateCounter & { readonly taken: Map<string, number> } {
  const taken = new Map<string, number>();
  const count = (key: string, { limit }: Budget, now: Date): Count => {
    const used = taken.get(key) ?? 0;
    return {
      limit,
      remaining: Math.max(0, limit - used),
      resetAt: new Date(now.getTime() + 30_500),
      exceeded: used > limit,
    };
  };
  return {
    taken,
    async take(key, budget, now, units = 1) {
      const used = (taken.get(key) ?? 0) + units;
      if (used > budget.limit) return { ...count(key, budget, now), exceeded: true };
      taken.set(key, used);
      return count(key, budget, now);
    },
    peek: async (key, budget, now) => count(key, budget, now),
    giveBack: async (key) => void taken.set(key, (taken.get(key) ?? 1) - 1),
    clear: async (key) => void taken.delete(key),
  };
}

export interface Rig {
  readonly url: string;
  readonly port: number;
  readonly server: HttpServer;
  readonly access: AccessLogEntry[];
  readonly logged: { readonly level: string; readonly message: string; readonly members: Record<string, unknown> }[];
  call(
    method: string,
    path: string,
    options?: {
      readonly headers?: OutgoingHttpHeaders;
      readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
    },
  ): Promise<Answer>;
  /** Sends bytes unchanged and returns all received text until the connection closes. */
  raw(bytes: string): Promise<string>;
  /** The same up to the end of the headers, for a connection that stays open. */
  rawHead(bytes: string): Promise<string>;
  /** The access log line of a request, when it has been written. */
  entry(requestId: string): Promise<AccessLogEntry>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly bytes: Buffer;
  readonly body: unknown;
}

export const now = new Date('2026-11-21T10:00:00.250Z');

export async function startRig(
  t: { teardown(end: () => Promise<void>): void },
  routes: readonly Route[],
  overrides: Partial<HttpOptions> = {},
): Promise<Rig> {
  const access: AccessLogEntry[] = [];
  const waiting: (() => void)[] = [];
  const logged: { level: string; message: string; members: Record<string, unknown> }[] = [];
  const line =
    (level: string) =>
    (members: object, message: string): void =>
      void logged.push({ level, message, members: { ...members } });
  let ids = 0;
  const server = createHttpServer({
    host: '127.0.0.1',
    port: 0,
    baseUrl: 'https://forge.example',
    webUrl: 'https://web.example',
    version: '1.2.3',
    trustedProxies: [],
    routes: routes.map((route) => ({ plugin: 'things', route })),
    channels: [],
    feed: new LiveFeed(),
    authenticator,
    scopes,
    access: accessDecision({
      scopes,
      adminGrants: () => undefined,
      isPermission: () => true,
      resolvers: () => [things],
    }),
    rateCounter: counter(),
    budgets: undefined,
    absentPort: () => undefined,
    optionalPort: () => undefined,
    readiness: async () => ({ ready: true, degraded: [] }),
    validateResponses: true,
    clock: { now: () => now },
    currentCaller: currentCaller(),
    ids: {
      uuid: () => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`,
      bytes: (length) => new Uint8Array(length),
    },
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    accessLog: {
      info: (entry) => {
        access.push(entry);
        for (const wake of waiting.splice(0)) wake();
      },
    },
    ...overrides,
  });
  const url = await server.listen();
  const port = Number(new URL(url).port);
  t.teardown(() => server.stop(0));
  return {
    url,
    port,
    server,
    access,
    logged,
    async call(method, path, { headers = {}, body } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const message = send({ host: '127.0.0.1', port, method, path, headers, agent: false }, resolve).on(
        'error',
        reject,
      );
      if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) message.end(body);
      else
        for await (const chunk of body)
          if (!message.write(chunk))
            await Promise.race([new Promise((drained) => message.once('drain', drained)), promise]);
      message.end();
      const answer = await promise;
      const bytes = Buffer.concat((await answer.toArray()) as Uint8Array[]);
      const text = bytes.toString('utf8');
      const isJson =
        answer.headers['content-type']?.startsWith('application/json') === true &&
        answer.headers['content-encoding'] === undefined &&
        text !== '';
      return {
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        text,
        bytes,
        body: isJson ? JSON.parse(text) : undefined,
      };
    },
    raw: (bytes) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
        let text = '';
        socket
          .setEncoding('utf8')
          .on('data', (chunk: string) => void (text += chunk))
          .on('close', () => resolve(text))
          .on('error', reject);
      }),
    rawHead: (bytes) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
        let text = '';
        socket
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            text += chunk;
            if (text.includes('\r\n\r\n')) socket.destroy();
          })
          .on('close', () => resolve(text))
          .on('error', reject);
      }),
    async entry(requestId) {
      for (;;) {
        const found = access.find((candidate) => candidate.requestId === requestId);
        if (found !== undefined) return found;
        await new Promise<void>((wake) => waiting.push(wake));
      }
    },
  };
}

export const bearer = (token: string): OutgoingHttpHeaders => ({ authorization: `Bearer ${token}` });
export const basic = (username: string, password: string): OutgoingHttpHeaders => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
export const json = (body: unknown, headers: OutgoingHttpHeaders = {}) => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
