// Reconciliation of open intents: those of processes that ended, and those of operations of this process that failed
// midway.
import { Unavailable } from '#core/kernel/errors';
import { withLock } from '#core/kernel/storage/with-lock';
import type { Intent } from '#core/kernel/storage/unit-of-work';
import { dropRef } from '../git/drop-ref.ts';
import { zeroOid, type RefUpdate } from '../git/git-backend.ts';
import { defaultBranchAlone, intentKinds, type BringDetail, type IntentKind, type PushDetail } from './intents.ts';
import type { Maintenance } from './maintenance.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { landed, recordPush, type Moved } from './record-push.ts';

export interface Reconciler {
  /**
   * Concludes the intent of an operation that ended without a record of its result. Never rejects: if it fails, `run`
   * tries again.
   * @param moved for a push, the refs that are known to have moved. Undefined: the refs are read to find out.
   */
  settle(intent: Intent, moved?: readonly RefUpdate[]): Promise<void>;
  /** Leaves an intent to `run`, because recording the moved refs has failed with `error`. */
  postpone(intent: Intent, moved: readonly RefUpdate[], error: unknown): void;
  /** Concludes every abandoned intent. Runs at boot and every minute. */
  run(): Promise<void>;
  /**
   * Concludes the abandoned pushes of one repository. A new push calls this first, because it would overwrite the
   * values by which the result of an abandoned push is found.
   * @param refs the refs of the new push. Their events must follow those of earlier pushes.
   * @throws {Unavailable} if an intent cannot be concluded and concerns one of these refs, or its moved refs are
   * unknown.
   */
  settlePushes(repositoryId: string, refs: readonly string[]): Promise<void>;
}

/** An intent with the known part of its result. */
interface Open {
  readonly intent: Intent;
  readonly moved: readonly RefUpdate[] | undefined;
}

type Parts = Pick<
  RepositoryParts,
  'store' | 'git' | 'unitOfWork' | 'events' | 'intents' | 'locks' | 'clock' | 'log'
> & { readonly maintenance: Maintenance };

/** @param waitMs how long a push waits for others that conclude abandoned intents. */
export function reconciler(parts: Parts, { waitMs }: { readonly waitMs?: number } = {}): Reconciler {
  const { store, git, unitOfWork, intents, locks, log, maintenance } = parts;
  const record = recordPush(parts);
  /** Intents of this process that could not be concluded, by id. */
  const unsettled = new Map<string, Open>();

  const close = (open: readonly Open[]): Promise<void> =>
    unitOfWork.run(async () => {
      for (const { intent } of open) await intents.close(intent.id);
    });

  const removeUnrecorded = async (repositoryId: string, open: readonly Open[]): Promise<void> => {
    if ((await store.byId(repositoryId)) === undefined) await git.remove(repositoryId);
    await close(open);
  };

  /**
   * For each kind, concludes all open intents about one repository: completes the operation if the record has it, and
   * undoes it otherwise.
   */
  const conclude: { readonly [K in IntentKind]: (repositoryId: string, open: readonly Open[]) => Promise<void> } = {
    'repositories.create': removeUnrecorded,
    'repositories.delete': removeUnrecorded,
    async 'repositories.default-branch'(repositoryId, open) {
      await defaultBranchAlone(locks, repositoryId, async () => {
        const repository = await store.byId(repositoryId);
        if (repository !== undefined) await git.setDefaultBranch(repositoryId, repository.defaultBranch);
      });
      await close(open);
    },
    async 'repositories.push'(repositoryId, open) {
      if ((await store.byId(repositoryId)) === undefined) return close(open);
      const moved = await movedBy(repositoryId, open);
      await record(
        repositoryId,
        moved,
        open.map(({ intent }) => intent.id),
      );
      if (moved.length > 0) maintenance.request(repositoryId);
    },
    async 'repositories.bring'(repositoryId, open) {
      if (await git.exists(repositoryId))
        for (const { intent } of open) await dropRef(git, repositoryId, (intent.detail as BringDetail).ref);
      await close(open);
    },
  };

  /** The refs that moved. Known moves are included when `landed` computes the chains of the unknown ones. */
  const movedBy = async (repositoryId: string, open: readonly Open[]): Promise<readonly Moved[]> => {
    const candidates = open.flatMap(({ intent: { detail }, moved }) => {
      const { actor, updates } = detail as PushDetail;
      return (moved ?? updates).map((update) => ({ ...update, actor, known: moved !== undefined }));
    });
    if (candidates.every(({ known }) => known)) return candidates;
    const names = [...new Set(candidates.map(({ ref }) => ref))];
    const oids = await git.readRefs(repositoryId, names);
    const chains = landed(candidates, new Map(names.map((name, index) => [name, oids[index] ?? zeroOid])));
    const told = new Set(chains);
    return [...candidates.filter((candidate) => candidate.known && !told.has(candidate)), ...chains];
  };

  /**
   * Skips intents that are no longer open. The transaction that closed one may have committed although its reply was
   * lost, and recording it again would emit its events twice.
   */
  const concludeOpen = async (kind: IntentKind, subject: string, about: readonly Open[]): Promise<void> => {
    const left = await intents.stillOpen(about.map(({ intent }) => intent.id));
    const open = about.filter(({ intent }) => left.has(intent.id));
    if (open.length > 0) await conclude[kind](subject, open);
  };

  const failed = (about: readonly Open[], error: unknown): void => {
    for (const open of about) unsettled.set(open.intent.id, open);
    const [first] = about;
    log.error(
      { err: error, intent: first?.intent.kind, repository: first?.intent.subject },
      'an interrupted operation could not be concluded; it is tried again within a minute',
    );
  };

  const concludeAll = async (kind: IntentKind, open: readonly Open[]): Promise<void> => {
    for (const [subject, about] of Map.groupBy(open, ({ intent }) => intent.subject)) {
      try {
        await concludeOpen(kind, subject, about);
        for (const { intent } of about) unsettled.delete(intent.id);
      } catch (error) {
        failed(about, error);
      }
    }
  };

  const open = async (kind: IntentKind): Promise<Open[]> => {
    const abandoned = await intents.abandoned(kind);
    const known = [...unsettled.values()].filter(({ intent }) => intent.kind === kind);
    return [
      ...abandoned.filter(({ id }) => !unsettled.has(id)).map((intent) => ({ intent, moved: undefined })),
      ...known,
    ];
  };
  const lock = 'repositories.reconcile';

  return {
    async settle(intent, moved) {
      const about = [{ intent, moved }];
      // The usual case for rejected pushes: nothing moved, and the intent only needs to be closed.
      if (moved?.length === 0) await close(about).catch((error: unknown) => failed(about, error));
      else await concludeAll(intent.kind as IntentKind, about);
    },
    postpone: (intent, moved, error) => failed([{ intent, moved }], error),
    run: () =>
      locks.exclusive(lock, async () => {
        for (const kind of intentKinds) await concludeAll(kind, await open(kind));
      }),
    async settlePushes(repositoryId, refs) {
      const pending = async (): Promise<Open[]> =>
        (await open('repositories.push')).filter(({ intent }) => intent.subject === repositoryId);
      if ((await pending()).length === 0) return;
      await withLock({ locks, name: lock, waitMs, busy: notRecorded }, async () =>
        concludeAll('repositories.push', await pending()),
      );
      const named = new Set(refs);
      const inTheWay = ({ intent, moved }: Open): boolean =>
        intent.subject === repositoryId && (moved === undefined || moved.some(({ ref }) => named.has(ref)));
      if ([...unsettled.values()].some(inTheWay)) throw notRecorded();
    },
  };
}

const notRecorded = (cause?: unknown): Unavailable =>
  new Unavailable('An earlier push to this repository is not recorded yet', {
    detail: 'Try again within a minute',
    cause,
  });
