// A proxy that serves a forge below a path: it removes the path before it passes a request on.
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Teardown } from '../forge.ts';

export interface PathProxy {
  /** The external URL of the forge, with the path. */
  readonly url: string;
  /** The URL of the forge. */
  target: string;
}

/** Also passes on `/.well-known/NAME/PATH…` unchanged. Everything else is 404. */
export async function pathProxy(t: Teardown, path: string): Promise<PathProxy> {
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    const inner = url.startsWith(`${path}/`)
      ? url.slice(path.length)
      : new RegExp(`^/\\.well-known/[^/]+${path}(?:/|$)`).test(url)
        ? url
        : undefined;
    if (inner === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { hostname: host, port } = new URL(proxy.target);
    const onward = send({ host, port, method, path: inner, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      void pipeline(answer, response);
    });
    void pipeline(request, onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const proxy: PathProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    target: '',
  };
  return proxy;
}
