// Fixtures for specs of issues: use cases on in-memory stores, with callers, repositories and a stub of planning.
import { openMemory, sequentialIds } from '#adapters/memory/index';
import { systemClock } from '#adapters/system/time';
import {
  changes,
  reads,
  ValidationFailed,
  type AuditEntry,
  type Caller,
  type Granted,
  type User,
} from '#core/kernel/index';
import { users } from '#core/identity/accounts/users';
import { builtInTypes, issueEvents, type IssueStore } from '#core/issues/index';
import { issueUseCases } from '#core/issues/use-cases';
import type { Label, Milestone, Planning } from '#core/planning/index';
import type { Repository } from '#core/repositories/index';
import { offeredRepositories } from '#core/repositories/use-cases';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { memoryIssueStore } from '#plugins/issues/issues/store-memory';
import { memoryIssueSearchStore } from '#plugins/issues/search/store-memory';
import { memoryAssociationStore } from '#plugins/issues/associations/store-memory';
import { commentRows } from '#plugins/issues/tables';
import { componentRows } from '#plugins/issues/tables';
import { editRows } from '#plugins/issues/tables';
import { memoryLinkStore } from '#plugins/issues/links/store-memory';
import { memoryTypeSchemeStore } from '#plugins/issues/type-scheme/store-memory';
import { typeRows } from '#plugins/issues/tables';
import { versionRows } from '#plugins/issues/tables';
import { memoryCollaboratorStore } from '#plugins/repositories/collaborators/store-memory';
import { protectionStore } from '#plugins/repositories/protection/store';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { addAccount } from '#test/support/clients/accounts';
import { leavingStorage } from '#test/support/servers/leaving-storage';
import { accessTo, callOf, permissionTable, recorded, repositoryOf, user } from '../forge.ts';

export { refusal } from '../forge.ts';

export const [alice, bob, carol, root] = [user('alice'), user('bob'), user('carol'), user('root', { isAdmin: true })];

/** A built-in type by the last digit of its id. */
export const typeId = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;
export const types = { epic: typeId(1), story: typeId(2), task: typeId(3), bug: typeId(5), support: typeId(7) };

/** A stub of planning with two labels and a milestone in every repository. */
function fakePlanning(): Planning {
  const label = (name: string): Label => ({
    id: `${name}-label`,
    repositoryId: '',
    name,
    nameKey: name.toLowerCase(),
    color: 'ff0000',
    description: null,
  });
  const labels = new Map(['Bug', 'Later'].map((name) => [label(name).id, label(name)]));
  const milestone: Milestone = {
    id: 'first',
    repositoryId: '',
    title: 'First',
    description: '',
    dueDate: null,
    state: 'open',
    createdAt: new Date(),
    closedAt: null,
  };
  return {
    labels: async (_, ids) => new Map(ids.flatMap((id) => [...labels].filter(([known]) => known === id))),
    milestones: async (_, ids) => new Map(ids.filter((id) => id === 'first').map((id) => [id, milestone])),
    ofRepository: async () => ({ labels: [...labels.values()], milestones: [milestone] }),
    labelsNamed: async (_, names) =>
      [...labels.values()].filter(({ nameKey }) => names.some((name) => nameKey === name.toLowerCase())),
    attach: async (_, { ids }) =>
      ids.map((id) => {
        const known = labels.get(id);
        if (known === undefined) throw new ValidationFailed('There is no such label', { detail: '"label_ids"' });
        return known;
      }),
    async hold(_, id) {
      if (id !== 'first') throw new ValidationFailed('There is no such milestone', { detail: '"milestone_id"' });
      return milestone;
    },
  };
}

export async function world(options: { readonly planning?: false; readonly failInsert?: () => boolean } = {}) {
  const ids = sequentialIds();
  // The first ids are those of the built-in types.
  for (const _ of builtInTypes) ids.uuid();
  const storage = leavingStorage(openMemory({ clock: systemClock, ids, log: quietLog }));
  const { database } = storage;
  const accounts = memoryAccountStore(database);
  for (const one of [alice, bob, carol, root]) await addAccount(accounts, one);
  const repositories = memoryRepositoryStore(database);
  const collaborators = memoryCollaboratorStore(database);
  const memory = memoryIssueStore(database);
  const store: IssueStore = {
    ...memory,
    insert: (issue) => {
      if (options.failInsert?.() === true) throw new Error('the row cannot be written');
      return memory.insert(issue);
    },
  };
  const audited: AuditEntry[] = [];
  const auditing = { fails: false };
  const events = await recorded(storage, issueEvents);
  const access = accessTo(repositories);
  const useCases = issueUseCases({
    store,
    access,
    searches: memoryIssueSearchStore(database),
    types: typeRows.memory(database),
    schemes: memoryTypeSchemeStore(database),
    components: componentRows.memory(database),
    versions: versionRows.memory(database),
    associations: memoryAssociationStore(database),
    comments: commentRows.memory(database),
    edits: editRows.memory(database),
    links: memoryLinkStore(database),
    users: users({ accounts }),
    audit: {
      append: async (entry) => {
        if (auditing.fails) throw new Error('the audit log cannot be written');
        audited.push(entry);
      },
    },
    unitOfWork: storage.unitOfWork,
    events: storage.events,
    repositories: offeredRepositories({
      store: repositories,
      collaborators,
      protections: protectionStore.memory(database),
      users: users({ accounts }),
      permissionTable,
    }),
    planning: options.planning === false ? undefined : fakePlanning(),
    ids,
  });
  const add = async (name: string, patch: Partial<Repository> = {}): Promise<Repository> => {
    const repository = repositoryOf(ids.uuid(), { name, ...patch });
    await repositories.insert(repository);
    return repository;
  };
  const code = await add('code', { issueCode: 'ABC' });
  /** The access decision that a user may read; it includes the user's other permissions. */
  const as = (caller: User, { owner, name }: Repository = code, now = new Date()) =>
    access.decide(callOf(caller, now), changes('repository', 'issue.read'), undefined, { owner, repo: name });
  const owning = (caller: User): Promise<Granted<Repository, 'repo.own', User>> =>
    access.decide(callOf(caller), changes('repository', 'repo.own'), undefined, {
      owner: code.owner,
      repo: code.name,
    });
  /** The access decision that a user has a permission on a repository. */
  const granted = <P extends 'issue.write' | 'repo.admin'>(
    caller: User,
    permission: P,
    { owner, name }: Repository = code,
  ): Promise<Granted<Repository, P, User>> =>
    access.decide(callOf(caller), changes('repository', permission), undefined, { owner, repo: name });
  const reading = (caller: Caller) =>
    access.decide(callOf(caller), reads('repository', 'issue.read'), undefined, {
      owner: code.owner,
      repo: code.name,
    });
  return {
    storage,
    store,
    audited,
    auditing,
    useCases,
    collaborators,
    code,
    add,
    as,
    call: (caller: User) => callOf(caller),
    granted,
    owning,
    reading,
    /** Creates an issue, as alice by default. */
    open: async (command: Partial<Parameters<typeof useCases.create>[1]> = {}, caller = alice) =>
      useCases.create(await as(caller), { title: 'An issue', typeId: types.task, ...command }),
    /** Returns the events delivered so far. */
    events,
    close: () => storage.close(),
  };
}
