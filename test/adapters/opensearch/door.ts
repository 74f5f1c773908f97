// A server in front of OpenSearch, or instead of it, that answers some requests itself.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

/** Answers the request and returns true, or returns false to pass it on. */
export type Interception = (asked: IncomingMessage, answer: ServerResponse) => boolean;

export interface Door {
  readonly url: string;
  /** Requests so far: method and path. */
  readonly requests: readonly string[];
  intercept(by: Interception): void;
}

interface Tls {
  readonly pfx: Buffer;
  readonly passphrase: string;
}

/** @param behind the URL of OpenSearch; absent: requests that are not intercepted are answered 404. */
export async function openDoor(t: Test, behind?: string, tls?: Tls): Promise<Door> {
  const requests: string[] = [];
  let intercepts: Interception = () => false;
  const listener: RequestListener = (asked, answer) => {
    requests.push(`${asked.method ?? ''} ${asked.url ?? ''}`);
    if (intercepts(asked, answer)) {
      asked.resume();
      return;
    }
    if (behind === undefined) {
      asked.resume();
      reply(answer, 404, '{}');
      return;
    }
    const passed = request(new URL(asked.url ?? '', behind), { method: asked.method, headers: asked.headers });
    passed.on('response', (given) => {
      answer.writeHead(given.statusCode ?? 0, given.headers);
      given.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    intercept(by) {
      intercepts = by;
    },
  };
}

export function reply(answer: ServerResponse, status: number, body: string): void {
  answer.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' });
  answer.end(body);
}

/** A certificate of 127.0.0.1 that signs itself, as the key of a server and as a file of a client. Made by the JDK. */
export function certificate(): { readonly tls: Tls; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'hexforge-certificate-'));
  const [store, file, passphrase] = [join(folder, 'key.p12'), join(folder, 'certificate.pem'), 'not a secret'];
  const common = ['-keystore', store, '-storetype', 'PKCS12', '-storepass', passphrase, '-alias', 'one'];
  for (const step of [
    ['-genkeypair', '-keyalg', 'RSA', '-dname', 'CN=test', '-ext', 'SAN=IP:127.0.0.1', '-validity', '10', ...common],
    ['-exportcert', '-rfc', '-file', file, ...common],
  ]) {
    const { status, stderr } = spawnSync('keytool', step, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`keytool failed: ${stderr}`);
  }
  return { tls: { pfx: readFileSync(store), passphrase }, file };
}
