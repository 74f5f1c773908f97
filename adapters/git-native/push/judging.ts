// Requests verdicts for a push from within `pre-receive`, for the refs that would move while their objects are in
// quarantine, and rechecks access while the refs move.
import { basename, join } from 'node:path';
import { HexforgeError, Internal, Unavailable } from '#core/kernel/errors';
import { zeroOid, type Oid, type RefUpdate, type RefVerdict } from '#core/repositories/git/git-backend';
import { named } from '../process/exhausted-resources.ts';
import { bytesIn } from '../files/folder-size.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { answerPreReceive, oneLine, readPreReceive, type PreReceiveQuestion } from './hooks.ts';
import type { Push } from './push.ts';
import type { ReceivePackParts } from './receive-pack.ts';
import { WithParts } from '../with-parts.ts';

export class Judging extends WithParts<ReceivePackParts> {
  /** Never rejects. May outlive the push, because the judge may take longer than the client waits. */
  async judge(push: Push): Promise<void> {
    const { process, request, location, head } = push;
    try {
      const question = await readPreReceive(process, 2 * this.parts.limits.commandBytes);
      if (question === undefined) return;
      push.quarantine = quarantineOf(location, question);
      const verdicts = await this.#verdicts(push, question);
      const refused = verdicts.filter(({ refusal }) => refusal !== undefined);
      // Rejected as a whole from within the quarantine, so that no object of it stays in the repository.
      if (refused.length === question.updates.length || (refused.length > 0 && head.capabilities.has('atomic'))) {
        push.refused = true;
        answerPreReceive(process, [...new Set(refused.map(({ refusal }) => oneLine(refusal ?? '')))]);
        return;
      }
      push.unmoved = new Set([...(await this.#absent(location, question.updates)), ...refused.map(({ ref }) => ref)]);
      if (refused.length > 0) await push.hooks.refuseSome(verdicts);
      const mark = await this.parts.changes.begin(location, 'refs');
      if (push.over) return await this.parts.changes.end(mark, true);
      push.marks.push(mark);
      if (request.signal.aborted || !process.running) return;
      // git has no output while it moves refs.
      process.allowSilence();
      push.judged = true;
      answerPreReceive(process, undefined);
    } catch (error) {
      if (request.signal.aborted) return;
      if (await this.parts.repositories.gone(location))
        return answerPreReceive(process, ['The repository was removed']);
      this.parts.log.error({ repository: location.id, err: error }, 'a push could not be judged');
      const told = named(error, location.directory);
      push.unjudged = told instanceof HexforgeError && told.kind !== 'internal' ? told : undecided(error);
      answerPreReceive(process, [oneLine(push.unjudged.message)]);
    }
  }

  /** A verdict for every requested ref. A ref without one is rejected. */
  async #verdicts(push: Push, { updates }: PreReceiveQuestion): Promise<readonly RefVerdict[]> {
    const announced = new Set(push.head.updates.map(commandOf));
    if (updates.length !== announced.size || !updates.every((update) => announced.has(commandOf(update))))
      throw new Internal('A git hook asked about other ref updates than the push begins with');
    const given = new Map(
      (
        await push.request.judge(updates, {
          isAncestor: (older, newer) => this.#isAncestor(push, older, newer),
          atomic: push.head.capabilities.has('atomic'),
          size: async () => (push.quarantine === undefined ? 0 : await bytesIn(push.quarantine)),
        })
      ).map((verdict) => [verdict.ref, verdict]),
    );
    return updates.map(({ ref }) => given.get(ref) ?? { ref, refusal: `The server did not decide about "${ref}"` });
  }

  async #isAncestor({ location, quarantine, request }: Push, older: Oid, newer: Oid): Promise<boolean> {
    const { interactive, processes, limits } = this.parts;
    const objects = join(location.directory, 'objects');
    const environment =
      quarantine === undefined
        ? {}
        : { GIT_OBJECT_DIRECTORY: quarantine, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) };
    const { signal } = request;
    const options = { environment, deadlineMs: limits.readSeconds * 1000, signal, maxCode: 1 };
    const args = ['merge-base', '--is-ancestor', older, newer];
    return (await interactive.run(() => processes.runIn(location, args, options), signal)).code === 0;
  }

  async #absent(location: RepositoryLocation, updates: readonly RefUpdate[]): Promise<readonly string[]> {
    const deletions = updates.filter((update) => update.new === zeroOid).map(({ ref }) => ref);
    const present = await this.parts.refs.readAll(location, deletions);
    return deletions.filter((_, index) => present[index] === zeroOid);
  }
}

export const undecided = (cause?: unknown): Unavailable =>
  new Unavailable('The server could not decide about this push; try again later', { cause });

const commandOf = ({ ref, old, new: next }: RefUpdate): string => `${old} ${next} ${ref}`;

/**
 * The path of the quarantine in this location. git reports it by the path through which it found the repository, which
 * may contain a symbolic link.
 */
function quarantineOf(location: RepositoryLocation, { quarantine }: PreReceiveQuestion): string | undefined {
  if (quarantine === undefined) return undefined;
  const name = basename(quarantine);
  if (!/^(tmp_objdir-)?incoming-\w+$/.test(name)) throw new Internal(`A git hook named the quarantine "${quarantine}"`);
  return join(location.directory, 'objects', name);
}

/**
 * Rechecks the access of the caller from the verdict to the end of the process, because git may have many refs to move,
 * and stops the push if it is lost. A push of few refs is over before the first recheck.
 */
export function stopWhenLost(push: Push, { limits, log }: Pick<ReceivePackParts, 'limits' | 'log'>): void {
  const { process, request, location, judged } = push;
  const { stands } = request;
  if (stands === undefined || !judged) return;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    if (process.running) timer = setTimeout(() => void ask().finally(wait), limits.standsSeconds * 1000).unref();
  };
  const ask = async (): Promise<void> => {
    try {
      const lost = await stands();
      if (lost === undefined) return;
      push.lost = oneLine(lost);
      await process.stop('its caller has lost access');
    } catch (error) {
      // The push was accepted, so a failed recheck is repeated after the next interval.
      log.warn({ repository: location.id, err: error }, 'whether a push still stands could not be asked');
    }
  };
  wait();
  void process.ended.then(() => clearTimeout(timer));
}
