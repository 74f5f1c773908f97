// Copies commits from another repository: packs those that the target ("keeper") lacks and pushes the pack to it
// through receive-pack, so that the same checks apply as to any push.
import { join } from 'node:path';
import { NotFound, Unprocessable } from '#core/kernel/errors';
import { zeroOid, type Oid, type RefUpdate } from '#core/repositories/git/git-backend';
import type { CommitToKeep, KeepHooks, Keeping } from '#core/repositories/git/git-keeping';
import type { Objects } from '../objects/objects.ts';
import { byteStream } from '../process/byte-stream.ts';
import { packingConfig } from '../process/environment.ts';
import type { Foundation } from '../foundation.ts';
import type { GitProcess } from '../process/git-process.ts';
import { ownPush } from '../push/own-push.ts';
import type { ReceivePack } from '../push/receive-pack.ts';
import type { RefMover } from '../refs/move-refs.ts';
import type { Refs } from '../refs/refs.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { WithParts } from '../with-parts.ts';

type CommitKeeperParts = Foundation & {
  readonly objects: Objects;
  readonly refs: Refs;
  readonly mover: RefMover;
  readonly receivePack: ReceivePack;
};

type Kept = Pick<CommitToKeep, 'commit' | 'ref'> & { readonly source: RepositoryLocation };

export class CommitKeeper extends WithParts<CommitKeeperParts> {
  /** A separate limiter, because each operation also takes a slot of the transfers once its pack has begun. */
  readonly #limiter = this.parts.limiter('commits from forks', this.parts.limits.heavy);

  async keep(keeper: RepositoryLocation, { source, commit, ref }: Kept, hooks: KeepHooks): Promise<Keeping> {
    const { objects, mover } = this.parts;
    if (!(await objects.is(source, commit, 'commit')))
      throw new NotFound('The commit is not in the repository that offers it', {
        detail: `repository: "${source.id}", commit: "${commit}"`,
      });
    const old = await this.#present(keeper, ref);
    if (old === commit) return 'kept';
    const update = { ref, old, new: commit };
    if (source.id !== keeper.id)
      return await this.#limiter.run(() => this.#bring(keeper, source, update, hooks), hooks.signal);
    const moving = await mover.move(keeper, [update]);
    return moving === 'moved' ? 'kept' : moving;
  }

  async #bring(
    keeper: RepositoryLocation,
    source: RepositoryLocation,
    update: RefUpdate,
    { judge, signal }: KeepHooks,
  ): Promise<Keeping> {
    const packing = await this.#pack(keeper, source, update.new, signal);
    let isRefused = false;
    try {
      const refusal = await ownPush(this.parts.receivePack, keeper, update, bytesOf(packing), {
        signal,
        announced: async () => undefined,
        judge: async (updates, about) => {
          const verdicts = await judge(updates, about);
          isRefused = verdicts.some((verdict) => verdict.refusal !== undefined);
          return verdicts;
        },
        landed: async () => undefined,
      });
      if (refusal === undefined) return 'kept';
      if (isRefused) return 'refused';
      const now = await this.#present(keeper, update.ref);
      // The push succeeded whatever git reported, or another process has kept the commit.
      if (now === update.new) return 'kept';
      if (now !== update.old) return 'stale';
      throw new Unprocessable('git does not take these commits', { detail: refusal });
    } finally {
      // Also if its output was not read to the end.
      await packing.stop('its pack is not wanted any more');
      packing.stdout.destroy();
    }
  }

  async #present(location: RepositoryLocation, ref: string): Promise<Oid> {
    return (await this.parts.refs.readAll(location, [ref]))[0] ?? zeroOid;
  }

  /**
   * Runs git-pack-objects(1) for the commits that are reachable from `commit` but from no ref of the keeper. The
   * keeper's objects are an alternate for this process only, so git knows exactly what both have in common, without
   * negotiation.
   */
  async #pack(
    keeper: RepositoryLocation,
    source: RepositoryLocation,
    commit: Oid,
    signal: AbortSignal,
  ): Promise<GitProcess> {
    const { processes, limits, refs } = this.parts;
    const known = await refs.oids(keeper);
    const args = ['pack-objects', '--revs', '--thin', '--delta-base-offset', '--stdout', '-q'];
    return await processes.startIn(source, args, {
      environment: { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(keeper.directory, 'objects')) },
      input: [commit, '--not', ...known, ''].join('\n'),
      deadlineMs: limits.transferSeconds * 1000,
      config: packingConfig,
      budget: 'transfers',
      signal,
    });
  }
}

/**
 * Yields the pack.
 * @throws {Internal} if git fails.
 */
async function* bytesOf(packing: GitProcess): AsyncGenerator<Uint8Array> {
  yield* byteStream(packing);
  if ((await packing.ended).code !== 0) throw packing.failure();
}
