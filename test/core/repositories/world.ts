// Fixtures for specs of repositories: use cases on in-memory stores, with callers and an in-memory git.
import { openMemory, sequentialIds } from '#adapters/memory/index';
import { systemClock } from '#adapters/system/time';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import { changes, reads } from '#core/kernel/access/access';
import { Conflict, Unavailable } from '#core/kernel/errors';
import { settingCatalogue } from '#core/kernel/services/settings';
import { intentNotOpen } from '#core/kernel/storage/intent-not-open';
import {
  Unauthorized,
  type AuditEntry,
  type Call,
  type Caller,
  type Clock,
  type GrantOf,
  type Granted,
  type Intent,
  type Intents,
  type Settings,
  type UnitOfWork,
} from '#core/kernel/index';
import {
  repositoryEvents,
  repositoryScopes,
  repositorySettings,
  type KeptRequest,
  type Repository,
  type RepositoryCounters,
  type RepositoryStore,
} from '#core/repositories/index';
import { repositoryUseCases } from '#core/repositories/use-cases';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { memoryCollaboratorStore } from '#plugins/repositories/collaborators/store-memory';
import { roleTemplateStore } from '#plugins/repositories/role-templates/store';
import { markStore } from '#plugins/repositories/stars/store';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import { protectionStore } from '#plugins/repositories/protection/store';
import { repositorySettingStore } from '#plugins/repositories/settings/store';
import { broughtRows } from '#plugins/repositories/tables';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { addAccount } from '#test/support/clients/accounts';
import { accessTo, callOf, permissionTable, recorded, user } from '../forge.ts';
import { FakeGit } from './fake-git.ts';

export { refusal } from '../forge.ts';
export const log = quietLog;

/** Intents whose process can be declared dead. */
export class TestIntents implements Intents {
  readonly open_ = new Map<string, Intent>();
  #dead = new Set<string>();
  #count = 0;
  #failing = 0;

  async open<D>(intent: { readonly kind: string; readonly subject: string; readonly detail: D }): Promise<Intent<D>> {
    const opened = { ...intent, id: `intent-${++this.#count}`, openedAt: new Date() };
    this.open_.set(opened.id, opened);
    return opened;
  }

  async close(id: string): Promise<void> {
    if (this.#failing > 0) {
      this.#failing -= 1;
      throw new Unavailable('The database does not answer');
    }
    if (!this.open_.delete(id)) throw new Conflict('The change was concluded already');
  }

  async renew(id: string): Promise<void> {
    if (!this.open_.has(id)) throw intentNotOpen(id);
  }

  async hold(id: string): Promise<void> {
    // There is one process and one unit of work at a time.
    return this.renew(id);
  }

  async stillOpen(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(ids.filter((id) => this.open_.has(id)));
  }

  async abandoned(kind: string): Promise<readonly Intent[]> {
    return [...this.open_.values()].filter((intent) => intent.kind === kind && this.#dead.has(intent.id));
  }

  /** Makes the next `times` closings fail with Unavailable. */
  failClose(times = 1): void {
    this.#failing = times;
  }

  /** All processes with open intents have died. */
  die(): void {
    for (const id of this.open_.keys()) this.#dead.add(id);
  }
}

export const alice = user('Alice');
export const bob = user('bob');
export const carol = user('carol');
export const root = user('root', { isAdmin: true });

export interface World extends Awaited<ReturnType<typeof world>> {}

export async function world(
  options: {
    readonly counters?: readonly RepositoryCounters[];
    readonly clock?: Clock;
    readonly settings?: Readonly<Record<string, number>>;
  } = {},
) {
  const defaults: Readonly<Record<string, unknown>> = Object.fromEntries(
    repositorySettings.map(({ key, default: value }) => [key, value]),
  );
  const ids = sequentialIds();
  const storage = openMemory({ clock: systemClock, ids, log });
  const logged: unknown[] = [];
  let losesCommit = false;
  const unitOfWork: UnitOfWork = {
    get active() {
      return storage.unitOfWork.active;
    },
    async run(work) {
      const result = await storage.unitOfWork.run(work);
      if (losesCommit) {
        losesCommit = false;
        throw new Unavailable('The database does not answer');
      }
      return result;
    },
  };
  const accounts = memoryAccountStore(storage.database);
  for (const one of [alice, bob, carol, root]) await addAccount(accounts, one);
  const store: RepositoryStore = memoryRepositoryStore(storage.database);
  const git = new FakeGit();
  const intents = new TestIntents();
  const audited: AuditEntry[] = [];
  const auditing = { fails: false };
  const events = await recorded(storage, repositoryEvents);
  const protections = protectionStore.memory(storage.database);
  const brought = broughtRows.memory(storage.database);
  /** The open requests from other repositories, sorted by id. */
  const kept: KeptRequest[] = [];
  const collaborators = memoryCollaboratorStore(storage.database);
  const useCases = repositoryUseCases({
    store,
    collaborators,
    roleTemplates: roleTemplateStore.memory(storage.database),
    marks: markStore.memory(storage.database),
    protections,
    brought,
    repositorySettings: repositorySettingStore.memory(storage.database),
    repositorySettingCatalogue: settingCatalogue<string>([], {}),
    rateCounter: memoryRateCounter(),
    git,
    intents,
    ids,
    log: { ...log, error: (entry) => void logged.push(entry) },
    clock: options.clock ?? systemClock,
    unitOfWork,
    events: storage.events,
    locks: storage.locks,
    audit: {
      append: async (entry) => {
        if (auditing.fails) throw new Error('the audit log cannot be written');
        audited.push(entry);
      },
    },
    users: {
      byUsername: async (username) => {
        const found = await accounts.byUsername(username);
        return found && { id: found.id, username: found.username, displayName: '', avatarUrl: '' };
      },
      byUsernames: async () => [],
      byIds: async () => new Map(),
      email: async () => '',
      administrators: async () => new Set(),
      active: async (ids) => new Set(ids),
    },
    settings: { get: async (key) => (options.settings ?? defaults)[key] ?? defaults[key] } as Settings,
    permissionTable,
    counters: () => options.counters ?? [],
    keptRequests: () => ({
      into: async (_, after = '', limit) => kept.filter(({ requestId }) => requestId > after).slice(0, limit),
    }),
  });
  const access = accessTo(store, repositoryScopes);
  const lost = new Set<Caller>();
  const renewed = new Map<Caller, Caller>();
  const as = <C extends Caller>(caller: C, now = new Date()): Call<C> => ({
    ...callOf(caller, now),
    renew: async () => {
      if (lost.has(caller)) throw new Unauthorized('The credential is not valid');
      return as(renewed.get(caller) ?? caller, now) as Call<C>;
    },
  });
  const granted = <P extends 'repo.read' | 'repo.write' | 'repo.admin' | 'repo.own' | 'merge.merge', C extends Caller>(
    caller: C,
    permission: P,
    { owner, name }: Pick<Repository, 'owner' | 'name'>,
  ): Promise<Granted<Repository, P, C>> => {
    const rule = permission === 'repo.read' ? reads('repository', 'repo.read') : changes('repository', permission);
    return access.decide(as(caller), rule, undefined, { owner, repo: name }) as Promise<
      GrantOf<typeof rule>
    > as unknown as Promise<Granted<Repository, P, C>>;
  };
  return {
    storage,
    store,
    brought,
    kept,
    collaborators,
    protections,
    git,
    intents,
    audited,
    auditing,
    /** Callers whose credential was revoked, and the renewed state of others. */
    lost,
    renewed,
    /** Messages logged as errors. */
    logged,
    /** The next unit of work is committed, but its caller gets the error that the database is down. */
    loseNextCommit: () => {
      losesCommit = true;
    },
    useCases,
    access,
    as,
    granted,
    /** Returns the events delivered so far. */
    events,
    /** Pushes as a client does and reads the whole answer. */
    async push(caller: Caller, repository: Repository, updates: readonly object[]): Promise<string> {
      const body = (async function* () {
        yield new TextEncoder().encode(JSON.stringify(updates));
      })();
      const answer = await useCases.pushes.receive(await granted(caller, 'repo.write', repository), {
        protocol: undefined,
        body,
        signal: new AbortController().signal,
      });
      return (await Array.fromAsync(answer, (chunk) => new TextDecoder().decode(chunk))).join('');
    },
    close: () => storage.close(),
  };
}
