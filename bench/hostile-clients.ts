// Hostile clients: each class keeps a server busy, or occupies its slots, with little work on the client's side.
import { createHash } from 'node:crypto';
import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { weigh } from '#test/fault/hostile/hostile-client';
import type { HostileRequest } from '#test/fault/hostile/hostile-requests';
import { salt } from '#test/fault/hostile/hostile-writes';

export interface Target {
  readonly url: string;
  /** The token of a user who may write to `repository`. */
  readonly token: string;
  /** The session of that user, who is the administrator. */
  readonly session: string;
  /** Owner and name of a public repository, with one of its commits and one of its large files. */
  readonly repository: string;
  readonly commit: string;
  readonly file: string;
}

/** Runs one of eight clients until the signal aborts. Never rejects. */
export type Attack = (target: Target, index: number, signal: AbortSignal) => Promise<void>;

/** Connections that each client of the idle classes keeps open. */
const held = 8;
const patienceMs = 30_000;

/**
 * Sends these requests in a loop; each client starts at another one. The text `salt` in a request is replaced by a
 * unique text.
 */
export function asking(requests: readonly HostileRequest[], headers: Readonly<Record<string, string>> = {}): Attack {
  return async ({ url }, index, signal) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    signal.addEventListener('abort', () => agent.destroy(), { once: true });
    for (let at = index * 7919; !signal.aborted; at += 1) {
      const request = requests[at % requests.length];
      if (request === undefined) return;
      const body = request.body?.replaceAll(salt, `${index}-${at}`);
      const one = body === undefined ? request : { ...request, body };
      const { failure } = await weigh(url, one, { agent, headers, patienceMs });
      if (failure !== undefined) await delay(10);
    }
  };
}

/** Opens connections, sends the given bytes, and then neither reads nor closes. */
function holding(sent: (target: Target) => string | Buffer): Attack {
  return async (target, _index, signal) => {
    const { hostname, port } = new URL(target.url);
    const open = (): void => {
      const socket = connect(Number(port), hostname, () => socket.write(sent(target)));
      socket.pause();
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        if (!signal.aborted) setTimeout(open, 100);
      });
      signal.addEventListener('abort', () => socket.destroy(), { once: true });
    };
    for (let count = 0; count < held; count += 1) open();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  };
}

const head = (method: string, path: string, headers: Readonly<Record<string, string | number>>): string =>
  `${[`${method} ${path} HTTP/1.1`, 'host: localhost', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n`;

const inflating = gzipSync(Buffer.alloc(50 * 1024 ** 2, ' '));
const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
const get = (path: string, headers?: Readonly<Record<string, string>>): HostileRequest => ({
  route: path,
  method: 'GET',
  path,
  streams: false,
  ...(headers !== undefined && { headers }),
});

/** Class name to the behaviour of its clients. */
export const attacks: Readonly<Record<string, Attack>> = {
  'wrong passwords': async (target, index, signal) => {
    for (let count = 0; !signal.aborted; count += 1) {
      const authorization = `Basic ${Buffer.from(`admin:wrong-${index}-${count}`).toString('base64')}`;
      const guess = get(`/${target.repository}.git/info/refs?service=git-receive-pack`, { authorization });
      await asking([guess])(target, 0, AbortSignal.any([signal, AbortSignal.timeout(50)]));
    }
  },
  'bodies that never come': holding(({ repository }) =>
    head('POST', `/${repository}.git/git-upload-pack`, {
      'content-type': 'application/x-git-upload-pack-request',
      'content-length': 1000,
    }),
  ),
  'answers that nobody reads': holding(({ repository, file }) =>
    head('GET', `/api/v1/repos/${repository}/raw/main/${file}`, {}),
  ),
  'unfinished bodies in gzip': holding(({ repository, token }) =>
    Buffer.concat([
      Buffer.from(
        head('PUT', `/api/v1/repos/${repository}/contents/x`, {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          'content-length': inflating.length + 1,
        }),
      ),
      inflating,
    ]),
  ),
  'pushes of refs that are refused': (target, index, signal) => {
    const { commit, repository, token } = target;
    const empty = Buffer.from('5041434b0000000200000000', 'hex');
    const zero = '0'.repeat(40);
    const body = Buffer.concat([
      Buffer.from(
        `${Array.from({ length: 1000 }, (_, ref) =>
          line(
            `${zero} ${commit} refs/${ref % 2 === 0 ? 'hexforge' : 'notes'}/${index}-${ref}${ref === 0 ? '\0 report-status' : ''}`,
          ),
        ).join('')}0000`,
      ),
      empty,
      createHash('sha1').update(empty).digest(),
    ]);
    const push: HostileRequest = {
      route: 'git-receive-pack',
      method: 'POST',
      path: `/${repository}.git/git-receive-pack`,
      headers: {
        authorization: `Basic ${Buffer.from(`admin:${token}`).toString('base64')}`,
        'content-type': 'application/x-git-receive-pack-request',
      },
      body: body.toString('latin1'),
      streams: false,
    };
    return asking([push])(target, index, signal);
  },
  'the OpenAPI document': asking([get('/api/v1/openapi.json', { 'accept-encoding': 'gzip' })]),
};
