// A minimal HTTP server in front of the port, for stock git clients.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { HexforgeError } from '#core/kernel/errors';
import type { GitBackend, GitService, JudgeRefs, RefUpdate } from '#core/repositories/git/git-backend';

export interface GitServer {
  readonly url: (repository: string) => string;
  readonly announced: RefUpdate[][];
  readonly landed: RefUpdate[][];
  /** The `Git-Protocol` headers of upload-pack requests so far. */
  readonly protocols: Set<string>;
  /** Whether a request body was compressed. */
  compressed: boolean;
  judge: JudgeRefs;
  /** Returns why the remaining refs of a push must not move, or undefined. Called while they move. */
  stands: () => Promise<string | undefined>;
  /** Runs while a push is announced, before any of its objects is read. */
  onAnnounced: () => Promise<void>;
  /** Runs when git has started to answer a request and nothing has been sent yet. */
  onAnswer: (action: string) => void;
  /** The number of requests that have not ended. */
  open: number;
  /** The error of the last request that failed. */
  failure: unknown;
  stop(): Promise<void>;
}

const service = (text: string | null): GitService => (text === 'git-receive-pack' ? text : 'git-upload-pack');

export async function serve(backend: GitBackend): Promise<GitServer> {
  const answer = async (request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://server');
    const [, repository = '', action = ''] = /^\/([^/]+)\.git\/(.+)$/.exec(url.pathname) ?? [];
    const header = request.headers['git-protocol'];
    const protocol = Array.isArray(header) ? header[0] : header;
    const zipped = request.headers['content-encoding'] === 'gzip';
    server.compressed ||= zipped;
    const body = zipped ? request.pipe(createGunzip()) : request;
    const common = { protocol, body, signal };
    const bytes =
      action === 'info/refs'
        ? await backend.advertise(repository, { service: service(url.searchParams.get('service')), protocol, signal })
        : action === 'git-receive-pack'
          ? await backend.receivePack(repository, {
              ...common,
              service: 'git-receive-pack',
              announced: async (updates) => {
                server.announced.push([...updates]);
                await server.onAnnounced();
              },
              judge: (updates, objects) => server.judge(updates, objects),
              stands: () => server.stands(),
              landed: async (updates) => void server.landed.push([...updates]),
            })
          : await backend.uploadPack(repository, { ...common, service: 'git-upload-pack' });
    if (action !== 'git-receive-pack') server.protocols.add(protocol ?? 'none');
    server.onAnswer(action);
    const type =
      action === 'info/refs' ? `${service(url.searchParams.get('service'))}-advertisement` : `${action}-result`;
    response.writeHead(200, { 'content-type': `application/x-${type}`, 'cache-control': 'no-cache' });
    await pipeline(Readable.from(bytes), response);
  };
  const http = createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) gone.abort(new Error('the client hung up'));
    });
    server.open += 1;
    answer(request, response, gone.signal)
      .catch((error: unknown) => {
        server.failure = error;
        if (response.headersSent) response.destroy();
        else response.writeHead(error instanceof HexforgeError && error.kind === 'not_found' ? 404 : 400).end();
      })
      .finally(() => {
        server.open -= 1;
      })
      .catch(() => undefined);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const server: GitServer = {
    url: (repository) => `http://127.0.0.1:${port}/${repository}.git`,
    announced: [],
    landed: [],
    protocols: new Set(),
    compressed: false,
    judge: async (updates) => updates.map(({ ref }) => ({ ref, refusal: undefined })),
    stands: async () => undefined,
    onAnnounced: async () => undefined,
    onAnswer: () => undefined,
    open: 0,
    failure: undefined,
    stop: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return server;
}
