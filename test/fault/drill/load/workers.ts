// Clients that change everything in a forge, one request after another, in a seeded order. After a request without an
// answer the change is repeated, or the thing is not changed again until its state has been verified.
import type { Change, Client } from './client.ts';
import { alwaysRefused } from './figures.ts';
import { absent, something, Register } from '../register.ts';

export type Random = () => number;

/** mulberry32: the same choices for the same seed, although the order of the clients differs. */
export function randomFrom(start: number): Random {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Everything that one account owns or uses. */
export interface Estate {
  readonly client: Client;
  readonly home: string;
  readonly homeId: string;
  /** The first commit of its repository, at which `main` and `trunk` start. */
  readonly root: string;
  readonly description: Register;
  readonly defaultBranch: Register;
  /** Every ref of its repository, by name. */
  readonly refs: ReadonlyMap<string, Register>;
  /** By name of the repository. */
  readonly spares: ReadonlyMap<string, Register>;
  /** By name of the other account. */
  readonly collaborators: ReadonlyMap<string, { readonly id: string; readonly register: Register }>;
  /** By name of the token. The state of a token is its id. */
  readonly tokens: Map<string, { readonly register: Register; secret: string; revoked: boolean }>;
}

/** Accounts that an administrator creates and suspends. The state of an account is its status. */
export type Accounts = Map<string, { readonly register: Register; id: string }>;

/** Returns whether no request was refused or unanswered. */
type Step = () => Promise<boolean>;

export abstract class Worker {
  readonly random: Random;
  readonly client: Client;
  #running: Promise<void> | undefined;
  #stopped = true;

  constructor(client: Client, random: Random) {
    this.client = client;
    this.random = random;
  }

  /** The operations; one that is listed twice is chosen twice as often. */
  protected abstract readonly steps: readonly Step[];
  /** Each operation once, when it is possible. */
  abstract readonly everything: readonly Step[];

  start(): void {
    this.#stopped = false;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const before = this.#told();
      await this.pick(this.steps)();
      // Nothing was counted, because no server is listening: waits before the next attempt.
      if (this.#told() === before) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #told(): number {
    const { acknowledged, refused, unanswered } = this.client.figures;
    return [acknowledged, refused, unanswered].reduce(
      (sum, counts) => sum + Object.values(counts).reduce((total, one) => total + one, 0),
      0,
    );
  }

  protected pick<T>(from: readonly T[]): T {
    const one = from[Math.floor(this.random() * from.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }
}

/** Works over the API, with the account's token or session. */
export class RestWorker extends Worker {
  readonly #estate: Estate;
  #counter = 0;

  constructor(estate: Estate, random: Random) {
    super(estate.client, random);
    this.#estate = estate;
  }

  protected get steps(): readonly Step[] {
    return [
      ...Array<Step>(4).fill(() => this.#describe()),
      ...Array<Step>(4).fill(() => this.#spare()),
      ...Array<Step>(3).fill(() => this.#ref('branches')),
      ...Array<Step>(3).fill(() => this.#ref('tags')),
      ...Array<Step>(2).fill(() => this.#write()),
      ...Array<Step>(2).fill(() => this.#token()),
      ...Array<Step>(2).fill(() => this.#collaborate()),
      ...Array<Step>(3).fill(() => this.#changeDefault()),
    ];
  }

  get everything(): readonly Step[] {
    return [
      () => this.#describe(),
      () => this.#spare(),
      () => this.#ref('tags'),
      () => this.#write(),
      () => this.#token(),
      () => this.#collaborate(),
      () => this.#changeDefault(),
    ];
  }

  async #describe(): Promise<boolean> {
    const { client, home, homeId, description } = this.#estate;
    const to = `${++this.#counter} ${Math.floor(this.random() * 2 ** 32)}`;
    if (description.certain === undefined) return true;
    return client.change(
      { kind: 'description', register: description, to, traces: [`event repository.updated ${homeId} description`] },
      { method: 'PATCH', path: `/repos/${home}`, body: { description: to } },
    );
  }

  async #changeDefault(): Promise<boolean> {
    const { client, home, defaultBranch } = this.#estate;
    if (defaultBranch.certain === undefined) return true;
    const to = defaultBranch.certain === 'main' ? 'trunk' : 'main';
    return client.change(
      { kind: 'default branch', register: defaultBranch, to, traces: [] },
      { method: 'PATCH', path: `/repos/${home}`, body: { default_branch: to } },
    );
  }

  /** Creates or deletes a repository without content. */
  async #spare(): Promise<boolean> {
    const { client, spares } = this.#estate;
    const [name, register] = this.pick([...spares]);
    const path = `${client.username}/${name}`;
    if (register.certain === undefined) return true;
    const what = register.certain === absent ? 'created' : 'deleted';
    const traces = [`event repository.${what} ${name}`, `audit repository.${what} ${name}`];
    if (register.certain === absent)
      return client.change(
        { kind: 'repository created', register, to: something, traces },
        { method: 'POST', path: '/repos', body: { name } },
        ({ id }) => String(id),
      );
    return client.change(
      { kind: 'repository deleted', register, to: absent, traces },
      { method: 'DELETE', path: `/repos/${path}`, body: { confirmation: path } },
    );
  }

  async #ref(what: 'branches' | 'tags'): Promise<boolean> {
    const { client, home, homeId, refs, root } = this.#estate;
    const prefix = what === 'branches' ? 'refs/heads/rest-' : 'refs/tags/rest-';
    const [ref, register] = this.pick([...refs].filter(([name]) => name.startsWith(prefix)));
    const name = ref.split('/').slice(2).join('/');
    const kind = what === 'branches' ? 'branch' : 'tag';
    // Deletions have a rate limit, which must not be exhausted at once.
    const stays = this.random() < 0.85;
    if (register.certain === undefined || (register.certain !== absent && stays)) return true;
    if (register.certain === absent)
      return client.change(
        { kind: `${kind} created`, register, to: root, traces: [] },
        {
          method: 'POST',
          path: `/repos/${home}/${what}`,
          body: { name, [what === 'branches' ? 'base_ref' : 'ref']: root },
        },
      );
    return client.change(deletionOf(homeId, register, ref), {
      method: 'DELETE',
      path: `/repos/${home}/${what}/${encodeURIComponent(name)}`,
    });
  }

  /** Makes a commit over the API; its id is in the answer. */
  async #write(): Promise<boolean> {
    const { client, home, refs } = this.#estate;
    const register = refs.get('refs/heads/written');
    if (register?.certain === undefined) return true;
    return client.change(
      { kind: 'file written', register, to: something, traces: [] },
      {
        method: 'PUT',
        path: `/repos/${home}/contents/file-${++this.#counter}-${Math.floor(this.random() * 2 ** 32)}`,
        body: { message: 'written', branch: 'written', content: Buffer.from(`${this.#counter}`).toString('base64') },
      },
      ({ commit }) => String((commit as { readonly sha?: unknown }).sha),
    );
  }

  async #token(): Promise<boolean> {
    const { client, tokens } = this.#estate;
    const live = [...tokens].filter(([, { register }]) => ![absent, undefined].includes(register.certain));
    const [chosen] = live;
    if (chosen !== undefined && live.length > 3) {
      const [name, token] = chosen;
      const done = await client.change(
        {
          kind: 'token revoked',
          register: token.register,
          to: absent,
          traces: [`event token.revoked ${token.register.certain}`, `audit token.revoked ${name}`],
        },
        { method: 'DELETE', path: `/user/tokens/${token.register.certain}`, credential: client.session },
      );
      token.revoked = done;
      return done;
    }
    const name = `${client.username}-${tokens.size}`;
    const token = { register: new Register(`token ${name}`), secret: '', revoked: false };
    tokens.set(name, token);
    return client.change(
      { kind: 'token created', register: token.register, to: something, traces: [`audit token.created ${name}`] },
      { method: 'POST', path: '/user/tokens', body: { name, scopes: ['repo:read'] }, credential: client.session },
      ({ id, token: secret }) => {
        token.secret = String(secret);
        return String(id);
      },
    );
  }

  async #collaborate(): Promise<boolean> {
    const { client, home, homeId, collaborators } = this.#estate;
    const [username, { id, register }] = this.pick([...collaborators]);
    const path = `/repos/${home}/collaborators/${username}`;
    if (register.certain === undefined) return true;
    const adding = register.certain === absent;
    const action = adding ? 'collaborator.added' : 'collaborator.removed';
    return client.change(
      {
        kind: adding ? 'collaborator added' : 'collaborator removed',
        register,
        to: adding ? 'read' : absent,
        traces: [`event ${action} ${homeId} ${id}`, `audit ${action} ${homeId} ${id}`],
      },
      adding ? { method: 'PUT', path, body: { role: 'read' } } : { method: 'DELETE', path },
    );
  }
}

/** Works with the stock git client: branches and tags are extended, rewritten and deleted, several in one push. */
export class GitWorker extends Worker {
  readonly #estate: Estate;

  constructor(estate: Estate, random: Random) {
    super(estate.client, random);
    this.#estate = estate;
  }

  protected get steps(): readonly Step[] {
    return [() => this.#push(1 + Math.floor(this.random() * 3))];
  }

  /** Moves every ref of this worker, whatever its current value. */
  get everything(): readonly Step[] {
    const { client, home, root } = this.#estate;
    return [
      async () => {
        const to = await client.git.commit('rewritten', [root]);
        const forced = { kind: 'pushed by force', to, traces: [], force: true };
        return client.push(
          home,
          this.#own.map((register) => ({ ...forced, register })),
        );
      },
    ];
  }

  get #own(): readonly Register[] {
    return [...this.#estate.refs].filter(([name]) => /\/(work|mark)-/.test(name)).map(([, register]) => register);
  }

  async #push(count: number): Promise<boolean> {
    const { client, home, refs, root } = this.#estate;
    const chosen = this.#own
      .map((register) => ({ register, key: this.random() }))
      .toSorted((a, b) => a.key - b.key)
      .slice(0, count);
    const changes: (Change & { readonly force: boolean })[] = [];
    for (const { register } of chosen) changes.push(await this.#move(register));
    // All pushes to this branch are rejected; the other refs are not affected.
    const locked = refs.get('refs/heads/locked');
    if (locked !== undefined && this.random() < 0.15)
      changes.push({
        kind: alwaysRefused,
        register: locked,
        to: await client.git.commit('locked', [root]),
        traces: [],
        force: false,
      });
    return client.push(home, changes);
  }

  async #move(register: Register): Promise<Change & { readonly force: boolean }> {
    const { client, homeId, root } = this.#estate;
    const { git } = client;
    const at = register.certain;
    const isBranch = register.name.includes(' refs/heads/');
    const dice = this.random();
    if (at !== undefined && at !== absent && dice < (isBranch ? 0.03 : 0.2))
      return {
        ...deletionOf(homeId, register, register.name.split(' ')[1] ?? ''),
        kind: 'ref deleted by push',
        force: false,
      };
    if (at === undefined || at === absent || !isBranch || dice < 0.25)
      return {
        kind: at === absent ? 'ref created by push' : 'pushed by force',
        register,
        to: await git.commit('rewritten', [root]),
        traces: [],
        force: true,
      };
    return { kind: 'pushed', register, to: await git.commit('grown', [at]), traces: [], force: false };
  }
}

/** Creates accounts, suspends and reactivates them. */
export class AdministratorWorker extends Worker {
  readonly #accounts: Accounts;

  constructor(client: Client, accounts: Accounts, random: Random) {
    super(client, random);
    this.#accounts = accounts;
  }

  protected get steps(): readonly Step[] {
    return [() => this.#create(), ...Array<Step>(4).fill(() => this.#suspend())];
  }

  get everything(): readonly Step[] {
    return [() => this.#create(), () => this.#suspend()];
  }

  async #create(): Promise<boolean> {
    const username = `made-${this.#accounts.size}`;
    const account = { register: new Register(`account ${username}`), id: '' };
    this.#accounts.set(username, account);
    return this.client.change(
      {
        kind: 'account created',
        register: account.register,
        to: 'active',
        traces: [`event user.created ${username}`, `audit user.created ${username}`],
      },
      {
        method: 'POST',
        path: '/admin/users',
        body: { username, email: `${username}@example.org`, password: `password of ${username}` },
        credential: this.client.session,
      },
      ({ id }) => {
        account.id = String(id);
        return 'active';
      },
    );
  }

  async #suspend(): Promise<boolean> {
    const known = [...this.#accounts].filter(([, { register, id }]) => register.certain !== undefined && id !== '');
    if (known.length === 0) return this.#create();
    const [username, { register, id }] = this.pick(known.slice(-20));
    const to = register.certain === 'active' ? 'suspended' : 'active';
    return this.client.change(
      {
        kind: to === 'suspended' ? 'account suspended' : 'account let in again',
        register,
        to,
        traces: [
          `event user.${to === 'suspended' ? 'suspended' : 'reactivated'} ${username}`,
          ...(to === 'suspended' ? [`audit user.suspended ${id}`] : []),
        ],
      },
      { method: 'PATCH', path: `/admin/users/${id}`, body: { status: to }, credential: this.client.session },
    );
  }
}

/** A deletion of a ref, which is recorded by its events and audit entries. */
function deletionOf(homeId: string, register: Register, ref: string): Change {
  const [, place, ...words] = ref.split('/');
  const kind = place === 'heads' ? 'branch' : 'tag';
  const about = `${kind}.deleted ${homeId} ${words.join('/')}`;
  return {
    kind: `${kind} deleted`,
    register,
    to: absent,
    traces: [...(kind === 'branch' ? [`event ${about}`] : []), `audit ${about}`],
  };
}
