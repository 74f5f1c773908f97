// The intent of a push. It is committed before git reads an object, and closed together with the events of the moved
// refs before the client gets the response. If the push was interrupted or could not be recorded, it is reconciled.
import type { Caller } from '#core/kernel/caller';
import type { Intent } from '#core/kernel/storage/unit-of-work';
import type { ReceiveRequest, RefUpdate } from '../git/git-backend.ts';
import type { PushDetail } from './intents.ts';
import type { Maintenance } from './maintenance.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { Reconciler } from './reconciliation.ts';
import { recordPush } from './record-push.ts';

export type PushIntentParts = Pick<
  RepositoryParts,
  'store' | 'git' | 'unitOfWork' | 'events' | 'intents' | 'locks' | 'clock'
> & { readonly reconciler: Reconciler; readonly maintenance: Maintenance };

export interface PushIntent {
  /**
   * `landed` does not reject, because the refs have moved, and a client that gets an error would push again. If the
   * database is unavailable, the intent stays open and the record is written within a minute.
   */
  readonly hooks: Pick<ReceiveRequest, 'announced' | 'landed'>;
  /**
   * Must be called immediately before refs move.
   * @throws {Unavailable} if the intent is no longer valid. No ref may move then.
   */
  renew(): Promise<void>;
  /**
   * Must be called when the push has ended; never rejects. If git completed without calling `landed`, nothing moved. If
   * git was interrupted, the refs are read to find out which of them moved.
   */
  conclude(complete: boolean): Promise<void>;
}

/** Runs in the transaction that records the moved refs; may run more than once. */
export type Recorded = (updates: readonly RefUpdate[]) => Promise<void>;

/** Creates the intent of one push. @param recorded not called if the record is written later, by reconciliation. */
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
