// A proxy that delays the end of a request body, as a slow client does, until other work is done.
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Teardown } from '../forge.ts';

export interface HoldingProxy {
  readonly url: string;
  /** Runs when all bytes of a body but the last have been sent. If undefined, bodies pass without delay. */
  meanwhile: (() => Promise<unknown>) | undefined;
}

/**
 * @param held selects requests by their path.
 * @param letIn resolves when a request sent before has been admitted and waits only for its body.
 */
export async function holdingProxy(
  t: Teardown,
  target: string,
  held: (path: string) => boolean,
  letIn: () => Promise<unknown>,
): Promise<HoldingProxy> {
  const { hostname, port } = new URL(target);
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url: path, headers } = request;
    const onward = send({ host: hostname, port, method, path, headers, agent: false });
    const answered = once(onward, 'response') as Promise<[IncomingMessage]>;
    const body = Buffer.concat((await request.toArray()) as Uint8Array[]);
    const { meanwhile } = proxy;
    if (meanwhile !== undefined && held(path ?? '') && body.length > 0) {
      onward.write(body.subarray(0, -1));
      await new Promise((resolve) => setTimeout(resolve, 50));
      await letIn();
      proxy.meanwhile = undefined;
      await meanwhile();
      onward.end(body.subarray(-1));
    } else onward.end(body);
    const [answer] = await answered;
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, response);
  };
  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const proxy: HoldingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    meanwhile: undefined,
  };
  return proxy;
}
