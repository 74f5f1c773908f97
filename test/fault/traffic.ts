// Clients that write and push without pause and remember what was acknowledged to them.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { adminPassword } from '#test/support/server-process';

const run = promisify(execFile);

export async function signIn(url: string): Promise<string> {
  const answer = await call(url, 'POST', '/api/v1/auth/login', undefined, {
    username: 'admin',
    password: adminPassword,
  });
  return String((answer.body as { access_token: unknown }).access_token);
}

export async function createToken(url: string, session: string): Promise<string> {
  const answer = await call(url, 'POST', '/api/v1/user/tokens', session, { name: 'traffic', scopes: ['repo:admin'] });
  return String((answer.body as { token: unknown }).token);
}

export async function call(
  url: string,
  method: string,
  path: string,
  token: string | undefined,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Waits until somebody has created it. */
async function exists(url: string, token: string, name: string): Promise<{ body: unknown }> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await call(url, 'GET', `/api/v1/repos/admin/${name}`, token);
    if (answer.status === 200) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} was not created`);
}

abstract class Client {
  acknowledged = 0;
  interrupted = 0;
  protected running = false;

  /** Works until stopped; an error of a dying server is an interruption. */
  async run(): Promise<void> {
    this.running = true;
    while (this.running) {
      try {
        await this.step();
        this.acknowledged++;
      } catch {
        this.interrupted++;
        if (this.running) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  stop(): void {
    this.running = false;
  }

  protected abstract step(): Promise<void>;
}

/** Creates repositories and changes the description of its first one, in turn. */
export class Writer extends Client {
  readonly #url: string;
  readonly #token: string;
  readonly #prefix: string;
  #attempt = 0;
  readonly #created: string[] = [];
  readonly #attempted: string[] = [];
  #description = 0;
  #descriptionAttempt = 0;

  constructor(url: string, token: string, prefix: string) {
    super();
    this.#url = url;
    this.#token = token;
    this.#prefix = prefix;
  }

  protected async step(): Promise<void> {
    const first = this.#created[0];
    if (first === undefined || this.#attempt++ % 4 === 0) {
      const name = `${this.#prefix}-${this.#attempted.length}`;
      this.#attempted.push(name);
      const { status } = await call(this.#url, 'POST', '/api/v1/repos', this.#token, { name });
      if (status !== 201) throw new Error(`create answered ${status}`);
      this.#created.push(name);
    } else {
      const value = ++this.#descriptionAttempt;
      const { status } = await call(this.#url, 'PATCH', `/api/v1/repos/admin/${first}`, this.#token, {
        description: `value ${value}`,
      });
      if (status !== 200) throw new Error(`update answered ${status}`);
      this.#description = value;
    }
  }

  async faults(url: string): Promise<string[]> {
    const faults: string[] = [];
    for (const name of this.#created) {
      const { status, body } = await call(url, 'GET', `/api/v1/repos/admin/${name}`, this.#token);
      if (status !== 200) faults.push(`acknowledged repository ${name} answers ${status}`);
      else if (name === this.#created[0]) {
        const value = Number(String((body as { description: unknown }).description).slice('value '.length));
        if (this.#description > 0 && !(value >= this.#description))
          faults.push(`${name} is at description ${value}, acknowledged was ${this.#description}`);
      }
    }
    return faults;
  }

  /** Ids of every repository that exists of those it tried to make, acknowledged or not. */
  async repositoryIds(url: string): Promise<string[]> {
    const ids: string[] = [];
    for (const name of this.#attempted) {
      const { status, body } = await call(url, 'GET', `/api/v1/repos/admin/${name}`, this.#token);
      if (status === 200) ids.push(String((body as { id: unknown }).id));
    }
    return ids;
  }
}

export interface PushExpectation {
  readonly repositoryId: string;
  readonly ref: string;
  /** In the order pushed. */
  readonly acknowledged: readonly string[];
}

/** Commits and pushes to one branch of a repository of its own, with the stock client. */
export class Pusher extends Client {
  readonly #directory: string;
  readonly #name: string;
  readonly #id: string;
  readonly #ref: string;
  readonly #oids: string[] = [];
  #counter = 0;

  private constructor(directory: string, name: string, id: string, branch: string) {
    super();
    this.#directory = directory;
    this.#name = name;
    this.#id = id;
    this.#ref = `refs/heads/${branch}`;
  }

  /** Pushes to `branch` of the repository, which it creates unless it exists. */
  static async create(
    url: string,
    token: string,
    directory: string,
    name: string,
    { branch = 'main', existing = false } = {},
  ): Promise<Pusher> {
    const { body } = existing
      ? await exists(url, token, name)
      : await call(url, 'POST', '/api/v1/repos', token, { name });
    await mkdir(directory);
    const pusher = new Pusher(directory, name, String((body as { id: unknown }).id), branch);
    await pusher.#git('init', '-q', '-b', 'main');
    await pusher.#git('remote', 'add', 'origin', `${url.replace('://', `://admin:${token}@`)}/admin/${name}.git`);
    return pusher;
  }

  protected async step(): Promise<void> {
    await writeFile(`${this.#directory}/file`, `${this.#counter++} ${this.#name}\n`);
    await this.#git('add', 'file');
    await this.#git('commit', '-qm', `change ${this.#counter}`);
    const oid = (await this.#git('rev-parse', 'HEAD')).trim();
    await this.#git('push', '-q', 'origin', `HEAD:${this.#ref}`);
    this.#oids.push(oid);
  }

  async faults(url: string): Promise<string[]> {
    const remote = (await this.#git('ls-remote', 'origin', this.#ref)).split('\t')[0] ?? '';
    if (this.#oids.length === 0) return [];
    await this.#git('fetch', '-q', 'origin', this.#ref);
    const reachable = new Set((await this.#git('rev-list', 'FETCH_HEAD')).split('\n'));
    return this.#oids
      .filter((oid) => !reachable.has(oid))
      .map((oid) => `acknowledged push ${oid} of ${this.#name} is not in ${remote} at ${url}`);
  }

  async repositoryIds(_url: string): Promise<string[]> {
    return [this.#id];
  }

  expectation(): PushExpectation {
    return { repositoryId: this.#id, ref: this.#ref, acknowledged: this.#oids };
  }

  async #git(...args: string[]): Promise<string> {
    const { stdout } = await run(
      'git',
      ['-C', this.#directory, '-c', 'user.name=A Pusher', '-c', 'user.email=pusher@example.org', ...args],
      {
        env: { PATH: process.env.PATH, HOME: this.#directory, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
        timeout: 30_000,
      },
    );
    return stdout;
  }
}
