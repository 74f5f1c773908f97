// Fixtures for specs of comments and reviews: in-memory stores, callers of every role and merge requests in any state.
import { openMemory, sequentialIds } from '#adapters/memory/index';
import { systemClock } from '#adapters/system/time';
import { changes, reads, type Caller, type GrantOf, type User } from '#core/kernel/index';
import { mergeEvents, type MergeRequest } from '#core/merges/index';
import { commentUseCases } from '#core/merges/discussion/comments';
import { submitReview } from '#core/merges/discussion/reviews';
import type { MergeParts } from '#core/merges/model/parts';
import type { Oid, PatchedFile, Repository } from '#core/repositories/index';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { commentRows } from '#plugins/merges/tables';
import { memoryMergeStore } from '#plugins/merges/requests/store-memory';
import { reviewRows } from '#plugins/merges/tables';
import { memoryCollaboratorStore } from '#plugins/repositories/collaborators/store-memory';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { addAccount } from '#test/support/clients/accounts';
import { leavingStorage } from '#test/support/servers/leaving-storage';
import { accessTo, callOf, recorded, repositoryOf, requestOf, settled, user } from '../forge.ts';

export { refusal } from '../forge.ts';

/** The owner, two users with repo.write, one reader, and an instance administrator. */
export const [alice, bob, carol, dave, root] = [
  user('alice'),
  user('bob'),
  user('carol'),
  user('dave'),
  user('root', { isAdmin: true }),
];

export const commit = (digit: number): Oid => String(digit).repeat(40);

export async function talkWorld() {
  const ids = sequentialIds();
  const storage = leavingStorage(openMemory({ clock: systemClock, ids, log: quietLog }));
  const { database, unitOfWork } = storage;
  const accounts = memoryAccountStore(database);
  for (const one of [alice, bob, carol, dave, root]) await addAccount(accounts, one);
  const repositories = memoryRepositoryStore(database);
  const collaborators = memoryCollaboratorStore(database);
  const store = memoryMergeStore(database);
  const reviews = reviewRows.memory(database);
  const events = await recorded(storage, mergeEvents);
  const differences: PatchedFile[] = [];
  const git = {
    commitRecord: async () => undefined,
    divergence: async () => new Map(),
    isLegalName: () => true,
    readRefs: async () => [],
    // One file with another content at each commit.
    entry: async (_: string, at: Oid, path: string) =>
      path === 'a.txt' ? { name: path, type: 'file', mode: '100644', oid: at, size: 4 } : undefined,
    blob: async (_: string, oid: Oid) => ({
      oid,
      size: 4,
      bytes: (async function* () {
        yield new TextEncoder().encode('1\n2\n');
      })(),
    }),
    patch: async () => ({ files: differences, additions: 0, deletions: 0 }),
  };
  const parts = {
    store,
    settling: settled,
    reviews,
    comments: commentRows.memory(database),
    git: storage.along(git as unknown as MergeParts['git']),
    unitOfWork,
    events: storage.events,
    ids,
  };
  const access = accessTo(repositories);
  const add = async (name: string): Promise<Repository> => {
    const repository = repositoryOf(ids.uuid(), { name });
    await repositories.insert(repository);
    return repository;
  };
  const code = await add('code');
  for (const { id } of [bob, carol])
    await collaborators.put(code.id, id, { role: 'write', permissions: [] }, new Date(0));
  /** The access decision that a user has a permission on a repository. */
  const granted = <P extends 'repo.read' | 'repo.write'>(
    caller: User,
    permission: P,
    { now = new Date(), repository = code }: { readonly now?: Date; readonly repository?: Repository } = {},
  ): Promise<GrantOf<ReturnType<typeof changes<'repository', P>>>> =>
    access.decide(callOf(caller, now), changes('repository', permission), undefined, {
      owner: 'alice',
      repo: repository.name,
    });
  const reading = (caller: Caller) =>
    access.decide(callOf(caller), reads('repository', 'repo.read'), undefined, {
      owner: 'alice',
      repo: 'code',
    });
  return {
    storage,
    parts,
    reviews,
    collaborators,
    code,
    add,
    granted,
    reading,
    /** The differences that git returns for any two commits. */
    differences,
    comments: commentUseCases(parts),
    submit: submitReview(parts),
    /** Creates a request of bob, whose head is `commit(1)`. */
    open: (patch: Partial<MergeRequest> = {}): Promise<MergeRequest> =>
      unitOfWork.run(async () => {
        const repositoryId = patch.repositoryId ?? code.id;
        const number = await store.nextNumber(repositoryId);
        const own = { id: ids.uuid(), repositoryId, number, sourceBranch: `topic-${ids.uuid()}`, authorId: bob.id };
        const request = requestOf({ ...own, ...patch });
        await store.insert(request);
        return request;
      }),
    /** The events delivered so far whose type matches `names`, with the payload members besides the request. */
    async told(names: RegExp) {
      return (await events())
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
