// The users, repositories and tokens of a test host, created through its REST API when a test first uses them.
import type { Agent } from 'node:http';
import type { Clock } from '#core/kernel/time';
import type { Browser } from './browser.ts';
import { Client, type Answer } from './client.ts';

/** The options of a new account. */
export interface NewUser {
  readonly displayName?: string;
  readonly email?: string;
  readonly isAdmin?: boolean;
}

/** An account of a test host, with its password. */
export interface TestUser {
  readonly id: string;
  readonly username: string;
  readonly password: string;
}

/** The options of a new repository. */
export interface NewRepository {
  /** Default: private. */
  readonly visibility?: 'public' | 'internal' | 'private';
  readonly description?: string;
}

/** A repository of a test host. */
export interface TestRepository {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
}

export interface InhabitantsParts {
  readonly url: string;
  readonly agent: Agent;
  readonly anonymous: Client;
  readonly clock: Clock;
  /** The first administrator. */
  readonly admin: { readonly username: string; readonly password: string };
}

export class Inhabitants {
  readonly #parts: InhabitantsParts;
  readonly #users = new Map<string, Promise<TestUser>>();
  readonly #repositories = new Map<string, Promise<TestRepository>>();
  /** Clients by username and scopes. */
  readonly #clients = new Map<string, Client>();

  constructor(parts: InhabitantsParts) {
    this.#parts = parts;
  }

  user(username: string, options: NewUser = {}): Promise<TestUser> {
    return once(this.#users, username.toLowerCase(), () => this.#createUser(username, options));
  }

  repository(path: string, options: NewRepository = {}): Promise<TestRepository> {
    return once(this.#repositories, path.toLowerCase(), () => this.#createRepository(path, options));
  }

  client(username: string, scopes?: readonly string[]): Client {
    const key = JSON.stringify([username.toLowerCase(), scopes]);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const { url, agent, clock } = this.#parts;
    let token: Promise<string> | undefined;
    let since = 0;
    const client = new Client(url, agent, async () => {
      // A session may expire when the test moves the clock, so the client signs in again. Personal access tokens do not
      // expire.
      if (scopes === undefined && clock.now().getTime() !== since) token = undefined;
      since = clock.now().getTime();
      token ??= scopes === undefined ? this.#signIn(username) : this.#token(username, scopes);
      return { authorization: `Bearer ${await token}` };
    });
    this.#clients.set(key, client);
    return client;
  }

  async #createUser(username: string, { displayName, email, isAdmin }: NewUser): Promise<TestUser> {
    const { admin } = this.#parts;
    const administrator = this.client(admin.username);
    if (username.toLowerCase() === admin.username) {
      const { id } = made('reading the administrator', await administrator.get('/user'));
      return { id, ...admin };
    }
    const password = `password of ${username}`;
    const answer = await administrator.post('/admin/users', {
      json: {
        username,
        password,
        email: email ?? `${username.toLowerCase()}@example.com`,
        ...(displayName !== undefined && { display_name: displayName }),
        ...(isAdmin !== undefined && { is_admin: isAdmin }),
      },
    });
    return { id: made(`making the user "${username}"`, answer).id, username, password };
  }

  async #createRepository(path: string, options: NewRepository): Promise<TestRepository> {
    const [owner = '', name = '', ...more] = path.split('/');
    if (owner === '' || name === '' || more.length > 0)
      throw new Error(`"${path}" is no path of a repository; write one such as alice/site`);
    await this.user(owner);
    const answer = await this.client(owner).post('/repos', { json: { name, ...options } });
    return { id: made(`making the repository "${path}"`, answer).id, owner, name };
  }

  /** Signs a browser in, which keeps the cookies of the session. */
  async enter(browser: Browser, username: string): Promise<void> {
    const answer = await browser.request('POST', new URL('/api/v1/auth/login', this.#parts.url), {
      body: JSON.stringify({ username, password: await this.#passwordOf(username) }),
      headers: { 'content-type': 'application/json' },
    });
    made(`signing in as "${username}"`, answer);
  }

  async #passwordOf(username: string): Promise<string> {
    const { admin } = this.#parts;
    return (username.toLowerCase() === admin.username ? admin : await this.user(username)).password;
  }

  async #signIn(username: string): Promise<string> {
    const { anonymous } = this.#parts;
    const password = await this.#passwordOf(username);
    const answer = await anonymous.post('/auth/login', { json: { username, password } });
    return made(`signing in as "${username}"`, answer).access_token;
  }

  async #token(username: string, scopes: readonly string[]): Promise<string> {
    const answer = await this.client(username).post('/user/tokens', { json: { name: scopes.join(' '), scopes } });
    return made(`making a token of "${username}" with ${scopes.join(', ')}`, answer).token;
  }
}

/** Returns the same promise for the same key. A failed one is made again. */
function once<T>(all: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = all.get(key);
  if (known !== undefined) return known;
  const made = make();
  all.set(key, made);
  made.catch(() => all.delete(key));
  return made;
}

interface Body {
  readonly id: string;
  readonly access_token: string;
  readonly token: string;
}

/** Throws with the server's response, because the test cannot continue without the object. */
function made(what: string, { status, body }: Answer): Body {
  if (status >= 300) throw new Error(`${what} answered ${status}: ${JSON.stringify(body)}`);
  return body as Body;
}
