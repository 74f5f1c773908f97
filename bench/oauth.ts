// Measures the token and introspection endpoints against bare routes with the statements that any correct
// implementation needs. Also measures a read with each kind of credential against a bare route with the same credential
// check.
import { createHash, randomBytes } from 'node:crypto';
import { systemIds } from '#adapters/system/time';
import { tokenFormat } from '#core/identity/index';
import type { Copies } from './bare/bare-oauth.ts';
import { compare, type Line } from './compare.ts';
import type { Setting } from './lines.ts';
import { load } from './load.ts';
import type { Subject } from './subject.ts';

/** Requests per measurement. */
const posts = { embedded: 100, server: 300 } as const;
const connections = 16;

/** The target of all reads, as a fraction of the bare route's rate: hapi and the access decision take the rest. */
const ofRead = { embedded: { least: 0.4 }, server: { least: 0.6 } } as const;
/** Almost all of the work is done by the database, which the bare route needs too. */
const ofExchange = { least: 0.6 } as const;
/**
 * An OAuth2 token takes three statements, because its account belongs to another area; a personal access token takes
 * two.
 */
const ofThreeStatements = { least: 0.6 } as const;
/** A session takes as many statements as a personal access token, and one HMAC. */
const ofHmac = { least: 0.8 } as const;

const callback = 'https://app.example/callback';
const verifier = 'v'.repeat(43);
const refreshTokens = tokenFormat('svc_ort_');
const formType = { 'content-type': 'application/x-www-form-urlencoded' } as const;
const sha256 = (text: string, form: 'hex' | 'base64url' = 'hex'): string =>
  createHash('sha256').update(text).digest(form);
const encoded = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();

export async function oauthLines(setting: Setting, subject: Subject): Promise<Line[]> {
  const session = await subject.session();
  const application = await Application.register(subject, session);
  return [
    ...(await endpointLines(setting, subject, application)),
    ...(await credentialLines(setting, subject, {
      'a personal access token': subject.token,
      'an OAuth2 token': application.tokens.access_token,
      'a session': session,
    })),
  ];
}

async function endpointLines(setting: Setting, subject: Subject, application: Application): Promise<Line[]> {
  const { engine, rounds } = setting;
  const size = setting.databaseUrl === undefined ? 'embedded' : 'server';
  const beside = async (
    name: string,
    endpoint: 'token' | 'introspect',
    target: { readonly least: number },
    bodies: (count: number) => Promise<readonly string[]>,
  ): Promise<Line> => {
    const rate = (url: string) => async (): Promise<number> =>
      (await load({ url, headers: formType, connections, bodies: await bodies(posts[size]) })).requestsPerSecond;
    const ours = rate(`${subject.url}/api/v1/oauth2/${endpoint}`);
    const limit = rate(`${subject.bare}/oauth/${endpoint}`);
    await ours();
    await limit();
    return compare({ name, engine, unit: 'req/s', rounds, target, ours, limit });
  };
  return [
    await beside('exchange a code, to the same statements', 'token', ofExchange, (count) =>
      application.codes(count, ['read:repo']),
    ),
    await beside('exchange a code for an ID token too', 'token', ofExchange, (count) =>
      application.codes(count, ['read:repo', 'openid']),
    ),
    await beside('refresh, to the same statements', 'token', ofExchange, (count) => application.refreshes(count)),
    await beside('introspect, to the same statements', 'introspect', ofRead[size], async (count) =>
      application.introspections(4 * count),
    ),
  ];
}

async function credentialLines(
  { engine, rounds, databaseUrl }: Setting,
  subject: Subject,
  credentials: Readonly<Record<'a personal access token' | 'an OAuth2 token' | 'a session', string>>,
): Promise<Line[]> {
  const { id } = await subject.createRepository('oauth');
  const rate = (url: string, token: string) => async (): Promise<number> =>
    (await load({ url, headers: { authorization: `Bearer ${token}` }, connections, seconds: 2 })).requestsPerSecond;
  const [ours, bare] = [`${subject.url}/api/v1/repos/admin/oauth`, `${subject.bare}/repository/${id}`];
  const lines: Line[] = [];
  for (const [name, token] of Object.entries(credentials)) {
    await rate(ours, token)();
    await rate(bare, token)();
    lines.push(
      await compare({
        name: `GET one repository with ${name}`,
        engine,
        unit: 'req/s',
        rounds,
        target: ofRead[databaseUrl === undefined ? 'embedded' : 'server'],
        ours: rate(ours, token),
        limit: rate(bare, token),
      }),
    );
  }
  // The bare route checks the credential too. To show the cost of each check, reads with different credentials are
  // compared.
  for (const [name, target] of [
    ['an OAuth2 token', ofThreeStatements],
    ['a session', ofHmac],
  ] as const)
    lines.push(
      await compare({
        name: `GET one repository with ${name}, to a personal access token`,
        engine,
        unit: 'req/s',
        rounds,
        target,
        ours: rate(ours, credentials[name]),
        limit: rate(ours, credentials['a personal access token']),
      }),
    );
  return lines;
}

interface Proof {
  readonly client_id: string;
  readonly client_secret: string;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** A confidential client to which the administrator and 64 users granted access, and its requests. */
class Application {
  readonly #subject: Subject;
  readonly #proof: Proof;
  /** An exchanged code, kept as the original for copies. */
  readonly #code: string;
  readonly tokens: Tokens;

  private constructor(subject: Subject, proof: Proof, code: string, tokens: Tokens) {
    this.#subject = subject;
    this.#proof = proof;
    this.#code = code;
    this.tokens = tokens;
  }

  /** Registers the client and obtains tokens over the public API. */
  static async register(subject: Subject, session: string): Promise<Application> {
    const { client_id, client_secret } = (await subject.json(
      'POST',
      '/api/v1/user/oauth2/apps',
      { name: 'bench', redirect_uris: [callback], scopes: ['read:repo', 'openid'] },
      session,
    )) as Proof;
    const proof = { client_id, client_secret };
    const query = encoded({
      client_id,
      redirect_uri: callback,
      response_type: 'code',
      code_challenge: sha256(verifier, 'base64url'),
      code_challenge_method: 'S256',
      scope: 'read:repo openid',
    });
    const decided = await posted(
      `${subject.url}/api/v1/oauth2/authorize?${query}`,
      { decision: 'allow' },
      { authorization: `Bearer ${session}` },
    );
    const code = new URL((decided as { redirect_url: string }).redirect_url).searchParams.get('code') ?? '';
    const tokens = await posted(`${subject.url}/api/v1/oauth2/token`, { ...proof, ...exchangeOf(code) });
    await subject.fill('oauth/people', proof);
    return new Application(subject, proof, code, tokens as Tokens);
  }

  /** Request bodies for exchanges of unused codes. */
  async codes(count: number, scopes: readonly string[]): Promise<readonly string[]> {
    const codes = Array.from({ length: count }, () => randomBytes(32).toString('hex').slice(0, 43));
    await this.#fill({ kind: 'codes', of: sha256(this.#code), hashes: codes.map((code) => sha256(code)), scopes });
    return codes.map((code) => encoded({ ...this.#proof, ...exchangeOf(code) }));
  }

  /** Request bodies for exchanges of unused refresh tokens. */
  async refreshes(count: number): Promise<readonly string[]> {
    const secrets = Array.from({ length: count }, () => refreshTokens.mint(systemIds));
    const hashes = secrets.map((secret) => sha256(secret));
    const of = sha256(this.tokens.refresh_token);
    await this.#fill({ kind: 'refreshTokens', of, hashes, scopes: ['read:repo'] });
    return secrets.map((secret) => encoded({ ...this.#proof, grant_type: 'refresh_token', refresh_token: secret }));
  }

  introspections(count: number): readonly string[] {
    return Array.from({ length: count }, () => encoded({ ...this.#proof, token: this.tokens.access_token }));
  }

  #fill(copies: Copies): Promise<void> {
    return this.#subject.fill('oauth/fill', copies);
  }
}

const exchangeOf = (code: string) =>
  ({ grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier }) as const;

async function posted(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers: { ...formType, ...headers }, body: encoded(fields) });
  if (!response.ok) throw new Error(`POST ${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
