// The state of one push.
import type { HexforgeError } from '#core/kernel/errors';
import type { ReceiveRequest } from '#core/repositories/git/git-backend';
import type { GitProcess } from '../process/git-process.ts';
import type { ChangeMark } from '../process/launcher/live-processes.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Channel } from '#adapters/git-common/push/channel';
import type { PushCommands } from '#adapters/git-common/push/commands';
import type { PushHooks } from './hooks.ts';

/** One push from its first byte to its last. */
export interface Push {
  readonly location: RepositoryLocation;
  readonly head: PushCommands;
  readonly request: ReceiveRequest;
  readonly process: GitProcess;
  readonly hooks: PushHooks;
  /** The mark of its objects and, once refs may move, the mark of its refs. */
  readonly marks: ChangeMark[];
  readonly channel: Channel;
  /**
   * Whether refs may move. Such a push is finished even if the client disconnects, because its refs may move at any
   * moment.
   */
  judged?: boolean;
  /** Whether its marks are being removed. */
  over?: boolean;
  quarantine?: string | undefined;
  /** Whether the verdict rejects the whole push. git's report then contains the reason of the judge. */
  refused?: boolean;
  /** Why no more of its refs may move, if it was stopped because of that. */
  lost?: string;
  /** Why there is no verdict, if it could not be reached. */
  unjudged?: HexforgeError;
  /**
   * Refs that do not count as moved, whatever their value: rejected ones, and deletions of refs that did not exist,
   * which git reports as deleted.
   */
  unmoved: ReadonlySet<string>;
}
