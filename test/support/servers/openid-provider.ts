// A small OpenID provider whose every answer can be falsified, with one issuer per path, so that no cache is shared.
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';

export type Json = Readonly<Record<string, unknown>>;

export interface SigningKey {
  readonly kid: string;
  readonly alg: 'RS256' | 'ES256' | 'EdDSA';
  readonly key: KeyObject;
}

/** The parts of an ID token before it is signed. */
export interface UnsignedToken {
  readonly claims: Json;
  readonly header: Json;
  readonly key: SigningKey;
}

/** Replaces the answers of an issuer. Each absent member leaves them valid. */
export interface Falsified {
  readonly metadata?: (metadata: Json) => Json;
  readonly claims?: (claims: Json) => Json;
  /** Makes the ID token; undefined for one without. */
  readonly idToken?: (token: UnsignedToken) => Promise<string | undefined> | string | undefined;
  readonly token?: (answer: Json) => unknown;
  readonly keys?: (keys: readonly Json[]) => unknown;
  readonly userinfo?: (claims: Json) => unknown;
  /** Answers a request itself; returns false to leave it. `path` is below the issuer. */
  readonly raw?: (path: string, response: ServerResponse, request: IncomingMessage) => boolean;
  /** The key that signs. Default: ES256. */
  readonly signedBy?: SigningKey;
}

/** The parameters with which the browser returns. */
export interface Approved {
  readonly code: string;
  readonly iss: string;
  readonly state: string;
}

export interface Issuer {
  readonly issuer: string;
  /** Requests so far: method and path below the issuer. */
  readonly requests: readonly string[];
  falsify(how: Falsified): void;
  /** The answer to an authorization request of which the user approves. */
  approve(redirectUrl: string): Approved;
}

export interface OpenidProvider {
  readonly url: string;
  issuer(how?: Falsified): Issuer;
  stop(): void;
}

export const client = { id: 'forge', secret: 'a-secret-of-the-forge-0123456789' } as const;
export const user = {
  sub: 'user-1',
  preferred_username: 'ada',
  email: 'ada@example.com',
  email_verified: true,
} as const;

const made = new Map<SigningKey['alg'], SigningKey>();

/** A key pair, made once for each algorithm. */
export function signingKey(alg: SigningKey['alg']): SigningKey {
  const key = made.get(alg) ?? { kid: `key-${alg}`, alg, key: newKey(alg) };
  made.set(alg, key);
  return key;
}

export function newKey(alg: SigningKey['alg'], bits = 2048): KeyObject {
  if (alg === 'RS256') return generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
  return alg === 'EdDSA'
    ? generateKeyPairSync('ed25519').privateKey
    : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

export const publicJwk = ({ key, kid, alg }: SigningKey): Json => ({
  ...createPublicKey(key).export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
});

export const signed = ({ claims, header, key }: UnsignedToken): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: key.alg, ...header }).sign(key.key);

export const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

interface Grant {
  readonly challenge: string | null;
  readonly nonce: string | null;
  readonly redirectUri: string | null;
}

export async function startOpenidProvider(): Promise<OpenidProvider> {
  const issuers = new Map<
    string,
    (path: string, request: IncomingMessage, response: ServerResponse) => Promise<void>
  >();
  const server = createServer((request, response) => {
    const [, id = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const answer = issuers.get(id);
    if (answer === undefined) response.writeHead(404).end();
    else void answer(path, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    issuer(how = {}) {
      const id = String(issuers.size + 1);
      const { answer, ...issuer } = newIssuer(`${url}/${id}`, how);
      issuers.set(id, answer);
      return issuer;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function newIssuer(issuer: string, how: Falsified) {
  let falsified = how;
  const requests: string[] = [];
  const grants = new Map<string, Grant>();
  let subject: Json = { ...user, iss: issuer };

  const metadata = (): Json => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });

  const token = async (request: IncomingMessage): Promise<readonly [number, unknown]> => {
    const form = new URLSearchParams(await text(request));
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    if (form.get('client_secret') !== client.secret && request.headers.authorization === undefined)
      return [401, { error: 'invalid_client' }];
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || form.get('redirect_uri') !== grant.redirectUri)
      return [400, { error: 'invalid_grant', error_description: `not ${code}` }];
    const now = Math.floor(Date.now() / 1000);
    const claims: Json = { ...user, iss: issuer, aud: client.id, iat: now, exp: now + 300, nonce: grant.nonce };
    subject = falsified.claims?.(claims) ?? claims;
    const key = falsified.signedBy ?? signingKey('ES256');
    const unsigned = { claims: subject, header: { kid: key.kid }, key };
    const idToken = await (falsified.idToken ?? signed)(unsigned);
    const answer = { access_token: `access-${code}`, token_type: 'Bearer', expires_in: 300, id_token: idToken };
    return [200, falsified.token?.(answer) ?? answer];
  };

  const keys = (): unknown => {
    const all = (['ES256', 'RS256', 'EdDSA'] as const).map((alg) => publicJwk(signingKey(alg)));
    return falsified.keys?.(all) ?? { keys: all };
  };

  return {
    issuer,
    requests,
    falsify(next: Falsified) {
      falsified = next;
    },
    approve(redirectUrl: string): Approved {
      const { searchParams } = new URL(redirectUrl);
      const code = `code-${grants.size}-${Math.random()}`;
      grants.set(code, {
        challenge: searchParams.get('code_challenge'),
        nonce: searchParams.get('nonce'),
        redirectUri: searchParams.get('redirect_uri'),
      });
      return { code, iss: issuer, state: searchParams.get('state') ?? '' };
    },
    async answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
      requests.push(`${request.method} ${path}`);
      if (falsified.raw?.(path, response, request) === true) return;
      const [status, body] =
        path === '/.well-known/openid-configuration'
          ? [200, falsified.metadata?.(metadata()) ?? metadata()]
          : path === '/token'
            ? await token(request)
            : path === '/keys'
              ? [200, keys()]
              : path === '/userinfo'
                ? [200, falsified.userinfo?.(subject) ?? subject]
                : [404, {}];
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    },
  };
}
