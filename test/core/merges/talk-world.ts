// Comments and reviews on in-memory stores, with callers of every standing and a merge request in the state wanted.
import { openMemory, sequentialIds, systemClock } from '#adapters/memory/index';
import { accessDecision, changes, on, reads, type Caller, type GrantOf } from '#core/kernel/index';
import { scopeCatalogue, type ErrorKind, type EventOf, type User } from '#core/kernel/index';
import { mergeEvents, type MergeRequest } from '#core/merges/index';
import { commentUseCases } from '#core/merges/comments';
import { submitReview } from '#core/merges/reviews';
import type { MergeParts } from '#core/merges/parts';
import { repositoryPermissions, type FileChange, type Oid, type Repository } from '#core/repositories/index';
import { repositoryResolver } from '#core/repositories/use-cases';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { commentRows } from '#plugins/merges/comments/store';
import { memoryMergeStore } from '#plugins/merges/requests/store-memory';
import { reviewRows } from '#plugins/merges/reviews/store';
import { memoryCollaboratorStore } from '#plugins/repositories/collaborators/store-memory';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import { addAccount } from '#test/support/accounts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** What a typed refusal of the kind looks like to tap. */
export const refusal = (kind: ErrorKind, detail?: RegExp) => ({ kind, message: /./, ...(detail && { detail }) });

const user = (username: string, isAdmin = false): User => ({
  kind: 'user',
  id: `${username}-id`,
  username,
  isAdmin,
  credential: { kind: 'session', id: 's', scopes: 'all', via: 'bearer' },
});

/** The owner, two who may write, one who may read alone, and an administrator of the instance. */
export const [alice, bob, carol, dave, root] = [
  user('alice'),
  user('bob'),
  user('carol'),
  user('dave'),
  user('root', true),
];

export const commit = (digit: number): Oid => String(digit).repeat(40);

export async function talkWorld() {
  const ids = sequentialIds();
  const storage = openMemory({ clock: systemClock, ids, log });
  const { database, unitOfWork } = storage;
  const accounts = memoryAccountStore(database);
  for (const one of [alice, bob, carol, dave, root]) await addAccount(accounts, one);
  const repositories = memoryRepositoryStore(database);
  const collaborators = memoryCollaboratorStore(database);
  const store = memoryMergeStore(database);
  const reviews = reviewRows.memory(database);
  const events: EventOf[] = [];
  await storage.deliver(
    mergeEvents.map((type) => ({
      plugin: 'test',
      subscription: on(type, {
        name: type,
        delivery: 'durable',
        handle: async (event) => {
          events.push(event as EventOf);
        },
      }),
    })),
  );
  const differences: FileChange[] = [];
  const git = {
    commitRecord: async () => undefined,
    divergence: async () => new Map(),
    isLegalName: () => true,
    readRefs: async () => [],
    // One file, which is another at each commit.
    entry: async (_: string, at: Oid, path: string) =>
      path === 'a.txt' ? { name: path, type: 'file', mode: '100644', oid: at, size: 4 } : undefined,
    blob: async (_: string, oid: Oid) => ({
      oid,
      size: 4,
      bytes: (async function* () {
        yield new TextEncoder().encode('1\n2\n');
      })(),
    }),
    difference: async () => ({ files: differences, truncated: false, additions: 0, deletions: 0 }),
  };
  const parts = {
    store,
    reviews,
    comments: commentRows.memory(database),
    git: git as unknown as MergeParts['git'],
    unitOfWork,
    events: storage.events,
    ids,
  };
  const access = accessDecision({
    isPermission: () => true,
    scopes: scopeCatalogue([]),
    adminGrants: () => undefined,
    resolvers: () => [
      repositoryResolver({
        store: repositories,
        permissionTable: { declarations: () => repositoryPermissions },
      }),
    ],
  });
  const at = new Date(0);
  const add = async (name: string): Promise<Repository> => {
    const repository: Repository = {
      id: ids.uuid(),
      ownerId: alice.id,
      owner: 'alice',
      name,
      description: '',
      visibility: 'public',
      defaultBranch: 'main',
      issueCode: '',
      createdAt: at,
      updatedAt: at,
    };
    await repositories.insert(repository);
    return repository;
  };
  const code = await add('code');
  for (const { id } of [bob, carol]) await collaborators.put(code.id, id, { role: 'write', permissions: [] }, at);
  const call = <C extends Caller>(caller: C, now: Date) => ({
    caller,
    requestId: 'r',
    ip: '192.0.2.1',
    userAgent: 'test',
    signal: new AbortController().signal,
    now,
    renew: async () => call(caller, now),
  });
  /** The proof of a permission on a repository. */
  const granted = <P extends 'repo.read' | 'repo.write'>(
    caller: User,
    permission: P,
    { now = new Date(), repository = code }: { readonly now?: Date; readonly repository?: Repository } = {},
  ): Promise<GrantOf<ReturnType<typeof changes<'repository', P>>>> =>
    access.decide(call(caller, now), changes('repository', permission), undefined, {
      owner: 'alice',
      repo: repository.name,
    });
  const reading = (caller: Caller) =>
    access.decide(call(caller, new Date()), reads('repository', 'repo.read'), undefined, {
      owner: 'alice',
      repo: 'code',
    });
  return {
    parts,
    reviews,
    collaborators,
    code,
    add,
    granted,
    reading,
    /** What git tells of any two commits. */
    differences,
    comments: commentUseCases(parts),
    submit: submitReview(parts),
    /** A request of bob's, whose head is a commit of ones. */
    open: (patch: Partial<MergeRequest> = {}): Promise<MergeRequest> =>
      unitOfWork.run(async () => {
        const repositoryId = patch.repositoryId ?? code.id;
        const request: MergeRequest = {
          id: ids.uuid(),
          repositoryId,
          number: await store.nextNumber(repositoryId),
          title: 'A change',
          description: '',
          state: 'open',
          isDraft: false,
          sourceRepositoryId: repositoryId,
          sourceBranch: `topic-${ids.uuid()}`,
          targetBranch: 'main',
          authorId: bob.id,
          milestoneId: null,
          headOid: commit(1),
          baseOid: null,
          mergeCommit: null,
          mergedById: null,
          createdAt: at,
          updatedAt: at,
          mergedAt: null,
          closedAt: null,
          ...patch,
        };
        await store.insert(request);
        return request;
      }),
    /** What was told so far of the names, by type and by what the payload has beside the request. */
    async told(names: RegExp) {
      await storage.drained();
      return events
        .filter(({ type }) => names.test(type))
        .map(({ type, actorId, aggregate, payload }) => {
          const own = ['comment_id', 'review_id', 'user_id', 'state'];
          const more = Object.entries(payload).filter(([member]) => own.includes(member));
          return { event: type, actorId, aggregate, ...Object.fromEntries(more) };
        });
    },
    close: () => storage.close(),
  };
}
