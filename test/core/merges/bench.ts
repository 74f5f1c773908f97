// Fixtures for specs of the use cases that change merge requests: one request, and an owner who may do everything.
import { sequentialIds } from '#adapters/memory/index';
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { NotFound, Unavailable } from '#core/kernel/errors';
import { mergeRequest } from '#core/merges/merging/merge';
import { mergeIntents, type MergeIntents } from '#core/merges/merging/merge-intents';
import type { MergeRequest } from '#core/merges/index';
import { openRequest, type OpenCommand } from '#core/merges/requests/open-request';
import type { MergeParts } from '#core/merges/model/parts';
import { updateRequest, type UpdateCommand } from '#core/merges/requests/update-request';
import type { GitBackend, MergeHooks, Repository } from '#core/repositories/index';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { addAccount } from '#test/support/clients/accounts';
import { callOf, repositoryOf, user } from '../forge.ts';
import { commit, fork, target, world } from './world.ts';

export const alice = user('alice');
export const [head, moved, main, made] = [commit(1), commit(2), commit(4), commit(5)];

/** One open request of `topic`, number 1, and the use cases that change it or open another. */
export async function bench(patch: Partial<MergeRequest> = {}) {
  const given = await world();
  const { storage, tips, parents } = given;
  for (const one of [alice, { ...user('bob'), id: 'bob' }]) await addAccount(memoryAccountStore(storage.database), one);
  given.pushers.add(alice.id);
  await given.add({ authorId: alice.id, ...patch });
  tips.set(`${target} topic`, head).set(`${fork} topic`, head).set(`${target} other`, head).set(`${target} main`, main);
  const git: Partial<GitBackend> = {
    ...given.parts.git,
    exists: async () => true,
    commitRecord: async () => undefined,
    mergeBase: async () => made,
    patch: () => Promise.reject(new Unavailable('git was stopped')),
  };
  const deletion = { fails: false };
  /** Whether the caller can push to the fork. */
  const source = { isHidden: false };
  const granted = {
    resource: repositoryOf(target),
    call: callOf(alice),
    may: () => true,
    renew: async () => undefined,
  } as unknown as Granted<Repository, never, User>;
  const parts = {
    ...given.parts,
    git,
    ids: sequentialIds(),
    users: { email: async () => '', byIds: async () => new Map() },
    planning: undefined,
    pipelines: undefined,
    access: {
      async decide() {
        if (source.isHidden) throw new NotFound('There is no such repository');
        return { ...granted, resource: repositoryOf(patch.sourceRepositoryId ?? target) };
      },
    },
    diffs: { caps: {}, algorithm: 'myers' },
    intents: storage.intents,
    host: 'forge.example',
    merging: {
      async merge(_granted: unknown, _change: unknown, hooks: MergeHooks) {
        const update = { ref: 'refs/heads/main', old: main, new: made };
        await hooks.announced?.(update);
        parents.set(made, [main, head]);
        tips.set(`${target} main`, made);
        await storage.unitOfWork.run(async () => hooks.recorded?.(update));
        return { kind: 'merged', update };
      },
      async deleteBranch() {
        if (deletion.fails) throw new Unavailable('The database does not answer');
        await storage.unitOfWork.run(async () => undefined);
      },
    },
  } as unknown as MergeParts & { mergeIntents: MergeIntents };
  const all = { ...parts, mergeIntents: mergeIntents(parts) };
  const number = 1;
  return {
    ...given,
    parts: all,
    deletion,
    source,
    /** The stored request, once the database is back. */
    async request(which = number) {
      storage.comeBack();
      return given.store.find(target, which);
    },
    open: (wish: Partial<OpenCommand> = {}) =>
      openRequest(all)(granted, { title: 'Another', source: 'other', targetBranch: 'main', ...wish }),
    update: (wish: Partial<UpdateCommand>) => updateRequest(all)(granted, { number, ...wish }),
    merge: () => mergeRequest(all)(granted, { number, strategy: 'merge', deleteSourceBranch: true }),
    /** Closes the request and moves its source afterwards. */
    async closed() {
      await this.update({ state: 'closed' });
      tips.set(`${target} topic`, moved);
    },
  };
}
export type Bench = Awaited<ReturnType<typeof bench>>;
