// Copies of objects between repositories: forks, and the commits that a repository keeps of another one.
import { NotFound, Unprocessable } from '#core/kernel/errors';
import { join } from 'node:path';
import {
  zeroOid,
  type CommitToKeep,
  type GitBackend,
  type Keeping,
  type KeepHooks,
  type RefUpdate,
} from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { isOid } from '#adapters/git-common/names';
import type { Acceptances } from '../push/acceptance.ts';
import type { RefChanges } from '../refs/ref-changes.ts';
import type { Refs } from '../refs/refs.ts';
import { Quarantine } from '../storage/quarantine.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

interface Parts {
  readonly refs: Refs;
  readonly refChanges: RefChanges;
  readonly acceptances: Acceptances;
}

export function copies(
  { inside, changing, repositories, threads, locks }: Foundation,
  { refs, refChanges, acceptances }: Parts,
) {
  const bring = async (
    keeper: RepositoryLocation,
    source: RepositoryLocation,
    update: RefUpdate,
    { judge, signal }: KeepHooks,
  ): Promise<Keeping> => {
    const quarantine = await Quarantine.open(keeper);
    try {
      const haves = [...new Set((await refs.stored(keeper)).map(({ oid }) => oid))];
      const { packPath, indexPath } = quarantine;
      // The objects of both repositories are read as one, so both sides are known without a negotiation.
      const borrowed = join(source.directory, 'objects');
      await threads.run(
        'packReachable',
        keeper,
        { wants: [update.new], haves, packPath, indexPath },
        { kind: 'transfer', signal, quarantine: borrowed },
      );
      let isRefused = false;
      const accepted = await acceptances.accept({
        location: keeper,
        updates: [update],
        isAtomic: false,
        quarantine,
        signal,
        hooks: {
          judge: async (updates, about) => {
            const verdicts = await judge(updates, about);
            isRefused = verdicts.some(({ refusal }) => refusal !== undefined);
            return verdicts;
          },
          landed: async () => undefined,
        },
      });
      if (accepted.fault !== undefined) throw accepted.fault;
      if (accepted.moved.length > 0) return 'kept';
      if (isRefused) return 'refused';
      const [now = zeroOid] = await refs.readAll(keeper, [update.ref]);
      if (now === update.new) return 'kept';
      if (now !== update.old) return 'stale';
      if (accepted.unpacked === 'ok') return 'in-the-way';
      throw new Unprocessable('git does not take these commits', { detail: accepted.unpacked });
    } finally {
      await quarantine.close();
    }
  };

  return {
    fork: async (source: string, target: string, { defaultBranch, signal }: Parameters<GitBackend['fork']>[2]) => {
      signal.throwIfAborted();
      await inside(async (from) => {
        await repositories.create(target, defaultBranch);
        const to = repositories.location(target);
        const copied = [...(await refs.all(from, 'branches')).refs, ...(await refs.all(from, 'tags')).refs];
        if (copied.length === 0) return;
        const quarantine = await Quarantine.open(to);
        try {
          const { packPath, indexPath } = quarantine;
          const wants = [...new Set(copied.map(({ oid }) => oid))];
          const { name } = await threads.run(
            'packReachable',
            from,
            { wants, haves: [], packPath, indexPath },
            { kind: 'transfer', signal },
          );
          await quarantine.keep(name);
          await refChanges.addAll(to.directory, copied);
        } finally {
          await quarantine.close();
        }
      })(source);
    },

    keepCommit: changing(async (keeper, { from, commit, ref }: CommitToKeep, hooks: KeepHooks): Promise<Keeping> => {
      hooks.signal.throwIfAborted();
      return await inside(async (source) => {
        const [type] = isOid(commit) ? await threads.run('types', source, [commit], { kind: 'read' }) : [];
        if (type !== 'commit')
          throw new NotFound('The commit is not in the repository that offers it', {
            detail: `repository: "${source.id}", commit: "${commit}"`,
          });
        const [old = zeroOid] = await refs.readAll(keeper, [ref]);
        if (old === commit) return 'kept';
        const update = { ref, old, new: commit };
        if (source.id !== keeper.id) return await bring(keeper, source, update, hooks);
        const moving = await locks.shared(keeper.id, () => refChanges.move(keeper.directory, [update]));
        return moving === 'moved' ? 'kept' : moving;
      })(from);
    }),
  } satisfies Partial<GitBackend>;
}
