// Requests to one OpenSearch address, each with a time limit. The client is loaded by the first request.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import { Unavailable } from '#core/kernel/errors';
import { Refused, translated } from './refusal.ts';

export interface Address {
  /** May contain a user name and a password. */
  readonly url: string;
  /** A file of certificates (PEM) to trust instead of the system's. */
  readonly caFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The whole value of the header Authorization, instead of a user name and a password. */
  readonly authorization?: string | undefined;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Segments, not yet encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
  /** Lines of JSON, instead of `body`. */
  readonly lines?: string;
  /** Milliseconds until the whole answer was read. */
  readonly ms: number;
  readonly signal?: AbortSignal;
  /** Error statuses to return instead of throwing. */
  readonly ignore?: readonly number[];
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface OpenSearchNode {
  /** @throws {HexforgeError} whose message has neither an address nor credentials; or the reason of the signal. */
  ask(request: Request): Promise<Answer>;
  close(): Promise<void>;
}

/** More requests wait for a free connection, and further ones are rejected. */
const most = { sockets: 16, requests: 256 } as const;

/** Pauses in milliseconds: each is longer than the one before. */
const again = { attempts: 4, pause: 50 } as const;

/**
 * An index has no shard that answers right after it was created. A search that began before a rebuild was finished does
 * not find the old index any more.
 */
const isPassing = (error: unknown): boolean =>
  error instanceof Refused && (error.status === 503 || error.type === 'index_not_found_exception');

/** @throws {Error} if the URL is invalid. */
export function connect(address: Address): OpenSearchNode {
  const { url, authorization } = addressed(address);
  let client: Promise<Client> | undefined;
  const load = async (): Promise<Client> => {
    const [certificates, library, { BoundedConnection }] = await Promise.all([
      certificatesOf(address.caFile),
      import('@opensearch-project/opensearch'),
      import('./bounded-connection.ts'),
    ]);
    return new library.Client({
      node: url.href,
      Connection: BoundedConnection,
      maxRetries: 0,
      resurrectStrategy: 'none',
      agent: { keepAlive: true, maxSockets: most.sockets, maxFreeSockets: most.sockets },
      ...(certificates === undefined ? {} : { ssl: { ca: certificates } }),
      ...(authorization === undefined ? {} : { headers: { authorization } }),
    });
  };
  const loaded = async (): Promise<Client> => {
    client ??= load();
    try {
      return await client;
    } catch (error) {
      // The file of certificates may be repaired meanwhile.
      client = undefined;
      throw error;
    }
  };
  const askOnce = async ({
    method,
    path,
    query = {},
    body,
    lines,
    ms,
    signal,
    ignore = [],
  }: Request): Promise<Answer> => {
    const { transport } = await loaded();
    signal?.throwIfAborted();
    const asked = transport.request(
      {
        method,
        path: `/${path.map(encodeURIComponent).join('/')}`,
        querystring: { ...query },
        ...(lines === undefined ? (body === undefined ? {} : { body }) : { bulkBody: lines }),
      },
      { requestTimeout: ms, ignore: [...ignore] },
    );
    // The listener returns nothing: Node throws the rejection of a promise that a listener returns.
    const abort = (): void => {
      asked.abort();
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const answer = await asked;
      return { status: answer.statusCode ?? 0, body: answer.body as unknown };
    } catch (error) {
      signal?.throwIfAborted();
      throw translated(error);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
  let pending = 0;
  const askAgain = async (request: Request): Promise<Answer> => {
    const end = performance.now() + request.ms;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await askOnce({ ...request, ms: Math.max(1, Math.ceil(end - performance.now())) });
      } catch (error) {
        const pause = attempt * again.pause;
        if (!isPassing(error) || attempt === again.attempts || performance.now() + pause > end) throw error;
        await sleep(pause, undefined, request.signal && { signal: request.signal }).catch(() => undefined);
      }
    }
  };
  return {
    async ask(request) {
      if (pending >= most.requests) throw new Unavailable('Too many requests wait for OpenSearch');
      pending += 1;
      try {
        return await askAgain(request);
      } finally {
        pending -= 1;
      }
    },
    async close() {
      await (await client?.catch(() => undefined))?.close();
    },
  };
}

/** Moves credentials out of the URL, so that no message of the client contains them. */
function addressed({ url: given, username, password, authorization }: Address): {
  readonly url: URL;
  readonly authorization: string | undefined;
} {
  if (!URL.canParse(given)) throw new Error('The URL of OpenSearch is invalid');
  const url = new URL(given);
  const user = username ?? decodeURIComponent(url.username);
  const secret = password ?? decodeURIComponent(url.password);
  url.username = '';
  url.password = '';
  if (authorization !== undefined) return { url, authorization };
  const basic = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  return { url, authorization: user === '' ? undefined : basic };
}

async function certificatesOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const pem = await readFile(file, 'utf8').catch(() => '');
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new Unavailable('The file of the certificates of OpenSearch cannot be read, or contains none');
}
