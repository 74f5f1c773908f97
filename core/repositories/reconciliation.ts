// Concluding what was announced and not recorded: intents of processes that died, and of live operations that went
// wrong half-way.
import type { Intent } from '#core/kernel/unit-of-work';
import { intentKinds, type IntentKind, type PushDetail } from './intents.ts';
import type { Maintenance } from './maintenance.ts';
import type { RepositoryParts } from './parts.ts';
import { landed, recordPush } from './record-push.ts';

export interface Reconciler {
  /**
   * Concludes the intent of an operation that ended without recording its outcome. Never rejects: what fails now is
   * tried again by `run`.
   */
  settle(intent: Intent): Promise<void>;
  /** Concludes every abandoned intent: at boot and every minute. */
  run(): Promise<void>;
  /** Concludes abandoned pushes of one repository, so that no later push covers their traces. */
  settlePushes(repositoryId: string): Promise<void>;
}

type Parts = Pick<
  RepositoryParts,
  'store' | 'git' | 'unitOfWork' | 'events' | 'intents' | 'locks' | 'clock' | 'log'
> & { readonly maintenance: Maintenance };

export function reconciler(parts: Parts): Reconciler {
  const { store, git, unitOfWork, intents, locks, log, maintenance } = parts;
  const record = recordPush(parts);
  /** Of this process, by id: their settling failed. */
  const unsettled = new Map<string, Intent>();

  const close = (open: readonly Intent[]): Promise<void> =>
    unitOfWork.run(async () => {
      for (const { id } of open) await intents.close(id);
    });

  /**
   * By kind, for all open intents about one repository: finishes where the record says so, undoes where it does not.
   */
  const conclude: { readonly [K in IntentKind]: (repositoryId: string, open: readonly Intent[]) => Promise<void> } = {
    async 'repositories.create'(repositoryId, open) {
      if ((await store.byId(repositoryId)) === undefined) await git.remove(repositoryId);
      await close(open);
    },
    async 'repositories.delete'(repositoryId, open) {
      if ((await store.byId(repositoryId)) === undefined) await git.remove(repositoryId);
      await close(open);
    },
    async 'repositories.default-branch'(repositoryId, open) {
      const repository = await store.byId(repositoryId);
      if (repository !== undefined) await git.setDefaultBranch(repositoryId, repository.defaultBranch);
      await close(open);
    },
    async 'repositories.push'(repositoryId, open) {
      if ((await store.byId(repositoryId)) === undefined) return close(open);
      const announced = open.flatMap(({ detail }) => {
        const { actor, updates } = detail as PushDetail;
        return updates.map((update) => ({ ...update, actor }));
      });
      const names = [...new Set(announced.map(({ ref }) => ref))];
      const oids = await git.readRefs(repositoryId, names);
      const moved = landed(
        announced,
        new Map(
          names.flatMap((name, index) => {
            const oid = oids[index];
            return oid === undefined ? [] : [[name, oid] as const];
          }),
        ),
      );
      await record(
        repositoryId,
        moved,
        open.map(({ id }) => id),
      );
      if (moved.length > 0) maintenance.request(repositoryId);
    },
  };

  const concludeAll = async (kind: IntentKind, open: readonly Intent[]): Promise<void> => {
    for (const [subject, about] of Map.groupBy(open, (intent) => intent.subject)) {
      try {
        await conclude[kind](subject, about);
        for (const { id } of about) unsettled.delete(id);
      } catch (error) {
        for (const intent of about) unsettled.set(intent.id, intent);
        log.error(
          { err: error, intent: kind, repository: subject },
          'an interrupted operation could not be concluded; it is tried again within a minute',
        );
      }
    }
  };

  const open = async (kind: IntentKind): Promise<Intent[]> => {
    const failed = [...unsettled.values()].filter((intent) => intent.kind === kind);
    const abandoned = (await intents.abandoned(kind)).filter(({ id }) => !unsettled.has(id));
    return [...abandoned, ...failed];
  };
  const alone = (work: () => Promise<void>): Promise<void> => locks.exclusive('repositories.reconcile', work);

  return {
    settle: (intent) => concludeAll(intent.kind as IntentKind, [intent]),
    run: () =>
      alone(async () => {
        for (const kind of intentKinds) await concludeAll(kind, await open(kind));
      }),
    async settlePushes(repositoryId) {
      const pending = async (): Promise<Intent[]> =>
        (await open('repositories.push')).filter(({ subject }) => subject === repositoryId);
      if ((await pending()).length > 0) await alone(async () => concludeAll('repositories.push', await pending()));
    },
  };
}
