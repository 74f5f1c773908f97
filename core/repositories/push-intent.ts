// The intent of a push: committed before git reads an object, concluded with the events of what moved before the client
// hears of it, reconciled where the push broke off or could not be recorded.
import type { Caller } from '#core/kernel/caller';
import type { Intent } from '#core/kernel/unit-of-work';
import type { ReceiveRequest, RefUpdate } from './git-backend.ts';
import type { PushDetail } from './intents.ts';
import type { Maintenance } from './maintenance.ts';
import type { RepositoryParts } from './parts.ts';
import type { Reconciler } from './reconciliation.ts';
import { recordPush } from './record-push.ts';

export type PushIntentParts = Pick<
  RepositoryParts,
  'store' | 'git' | 'unitOfWork' | 'events' | 'intents' | 'locks' | 'clock'
> & { readonly reconciler: Reconciler; readonly maintenance: Maintenance };

export interface PushIntent {
  /**
   * `landed` does not reject: what has moved has moved, and a client that heard otherwise would push it again. Where
   * the database is away the intent stands for the record, which follows within a minute.
   */
  readonly hooks: Pick<ReceiveRequest, 'announced' | 'landed'>;
  /** To be called last before refs move. @throws {Unavailable} where it stands no more: none may move. */
  renew(): Promise<void>;
  /**
   * To be called when it is over; never rejects. Where git ran to its end and told of no landing, nothing moved. Cut
   * short, it may have moved refs: they tell.
   */
  conclude(complete: boolean): Promise<void>;
}

/** What others do in the transaction that records what moved; it may run more than once. */
export type Recorded = (updates: readonly RefUpdate[]) => Promise<void>;

/** For one push. @param recorded not run where the record follows later, by reconciliation. */
export function pushIntent(
  parts: PushIntentParts,
  repositoryId: string,
  caller: Caller,
  recorded?: Recorded,
): PushIntent {
  const { intents, reconciler, maintenance } = parts;
  const actor = caller.kind === 'user' ? caller.id : '';
  let intent: Intent<PushDetail> | undefined;
  return {
    hooks: {
      async announced(updates) {
        if (updates.length === 0) return;
        await reconciler.settlePushes(
          repositoryId,
          updates.map(({ ref }) => ref),
        );
        intent = await intents.open({ kind: 'repositories.push', subject: repositoryId, detail: { actor, updates } });
      },
      async landed(updates) {
        const open = intent;
        intent = undefined;
        try {
          await recordPush(parts)(
            repositoryId,
            updates.map((update) => ({ ...update, actor })),
            open === undefined ? [] : [open.id],
            recorded && (() => recorded(updates)),
          );
        } catch (error) {
          if (open === undefined) throw error;
          reconciler.postpone(open, updates, error);
        }
        maintenance.request(repositoryId);
      },
    },
    async renew() {
      if (intent !== undefined) await intents.renew(intent.id);
    },
    async conclude(complete) {
      const open = intent;
      intent = undefined;
      if (open !== undefined) await reconciler.settle(open, complete ? [] : undefined);
    },
  };
}
