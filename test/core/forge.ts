// Fixtures for specs of use cases on in-memory stores: callers, calls, repositories, access decisions, a merge request
// and recorded events.
import type { MemoryStorage } from '#adapters/memory/index';
import {
  accessDecision,
  on,
  scopeCatalogue,
  type AccessDecision,
  type Call,
  type Caller,
  type ErrorKind,
  type EventOf,
  type EventType,
  type ScopeRow,
  type User,
} from '#core/kernel/index';
import type { MergeRequest } from '#core/merges/index';
import type { MergeParts } from '#core/merges/model/parts';
import { repositoryPermissions, type Repository, type RepositoryStore } from '#core/repositories/index';
import { repositoryResolver } from '#core/repositories/use-cases';

/** The pattern that a typed error of the kind matches in tap. */
export const refusal = (kind: ErrorKind, detail?: RegExp) => ({ kind, message: /./, ...(detail && { detail }) });

export const user = (username: string, { isAdmin = false }: { readonly isAdmin?: boolean } = {}): User => ({
  kind: 'user',
  id: `${username}-id`,
  username,
  isAdmin,
  credential: { kind: 'session', id: 's', scopes: 'all', via: 'bearer' },
});

export const callOf = <C extends Caller>(caller: C, now = new Date()): Call<C> => ({
  caller,
  requestId: 'r',
  ip: '192.0.2.1',
  userAgent: 'test',
  signal: new AbortController().signal,
  now,
  renew: async () => callOf(caller, now),
});

/** A public repository of alice. */
export const repositoryOf = (id: string, patch: Partial<Repository> = {}): Repository => ({
  id,
  ownerId: 'alice-id',
  owner: 'alice',
  name: 'code',
  description: '',
  visibility: 'public',
  defaultBranch: 'main',
  issueCode: '',
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...patch,
});

/** An open merge request of `topic` into `main` of the same repository. */
export const requestOf = (
  request: Pick<MergeRequest, 'id' | 'repositoryId' | 'number' | 'authorId'> & Partial<MergeRequest>,
): MergeRequest => ({
  title: 'A request',
  description: '',
  state: 'open',
  isDraft: false,
  sourceRepositoryId: request.repositoryId,
  sourceBranch: 'topic',
  reopenedById: null,
  sourceLoss: null,
  sourceVisibility: null,
  targetVisibility: null,
  targetBranch: 'main',
  milestoneId: null,
  headOid: '1'.repeat(40),
  baseOid: null,
  mergeCommit: null,
  mergedById: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  mergedAt: null,
  closedAt: null,
  ...request,
});

/** No push is pending. */
export const settled: MergeParts['settling'] = {
  request: async () => false,
  list: async (_repositoryId, read) => read(),
};

export const permissionTable = { declarations: () => repositoryPermissions };

/** Access by the role table, for these repositories. */
export const accessTo = (store: RepositoryStore, scopes: readonly ScopeRow[] = []): AccessDecision =>
  accessDecision({
    isPermission: () => true,
    scopes: scopeCatalogue(scopes),
    adminGrants: () => undefined,
    resolvers: () => [repositoryResolver({ store, permissionTable, counters: () => [] })],
  });

/** Starts delivery. @returns a function that waits until all emitted events are delivered, and returns them. */
export async function recorded(storage: MemoryStorage, types: readonly EventType[]): Promise<() => Promise<EventOf[]>> {
  const events: EventOf[] = [];
  const handle = async (event: EventOf): Promise<void> => void events.push(event);
  await storage.deliver(
    types.map((type) => ({ plugin: 'test', subscription: on(type, { name: type, delivery: 'durable', handle }) })),
  );
  return async () => {
    await storage.drained();
    return events;
  };
}
