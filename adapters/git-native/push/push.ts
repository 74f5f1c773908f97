// One push: its parts, and how far it has come.
import type { HexforgeError } from '#core/kernel/errors';
import type { ReceiveRequest } from '#core/repositories/git-backend';
import type { GitProcess } from '../process/git-process.ts';
import type { ChangeMark } from '../process/live-processes.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Channel } from './channel.ts';
import type { PushCommands } from './commands.ts';
import type { PushHooks } from './hooks.ts';

/** One push from its first byte to its last. */
export interface Push {
  readonly location: RepositoryLocation;
  readonly head: PushCommands;
  readonly request: ReceiveRequest;
  readonly process: GitProcess;
  readonly hooks: PushHooks;
  /** Of its objects, and past its verdict of its refs. */
  readonly marks: ChangeMark[];
  readonly channel: Channel;
  /** Past its verdict it is finished even where the client has left: its refs may move at any moment. */
  judged: boolean;
  /** Its marks are removed. */
  over: boolean;
  quarantine: string | undefined;
  /** Whether its verdict refuses it whole: what git says of it then is the judge's word. */
  refused: boolean;
  /** Why no more of its refs may move, where it was stopped for that. */
  lost: string | undefined;
  /** Why nobody could judge it, where that is so. */
  unjudged: HexforgeError | undefined;
  /**
   * Refs that do not move, whatever stands there: refused ones, and those that were not there to be deleted, which git
   * reports as deleted.
   */
  unmoved: ReadonlySet<string>;
}
