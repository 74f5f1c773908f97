// Types of the port `GitBackend` for serving clones and pushes: the request, and the judge of a push.
import type { HexforgeError } from '#core/kernel/errors';
import type { Oid, RefUpdate } from './git-objects.ts';

/** The verdict about one ref of a push. */
export interface RefVerdict {
  readonly ref: string;
  /** Undefined if accepted. Otherwise the reason that git shows to the user who pushed. */
  readonly refusal: string | undefined;
  /** Set if callers must distinguish this rejection from others. */
  readonly because?: 'quota';
}

/** Called once per push with all its refs, while the new objects are readable but not yet part of the repository. */
export type JudgeRefs = (
  updates: readonly RefUpdate[],
  objects: {
    isAncestor(older: Oid, newer: Oid): Promise<boolean>;
    /** Whether one rejection rejects the whole push. */
    readonly atomic: boolean;
    /** The size of the new objects on disk in bytes. */
    size(): Promise<number>;
  },
) => Promise<readonly RefVerdict[]>;

/** The services of git over HTTP. */
export type GitService = 'git-upload-pack' | 'git-receive-pack';

/** A request for one of the services. */
export interface ServeRequest {
  readonly service: GitService;
  /** The client's `Git-Protocol` header, if it sent one. */
  readonly protocol: string | undefined;
  /** The request body, already inflated. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** A push, with its judge and its callbacks. */
export interface ReceiveRequest extends ServeRequest {
  /** Called with the requested changes before any object is read. The intent is committed here. */
  announced(updates: readonly RefUpdate[]): Promise<void>;
  readonly judge: JudgeRefs;
  /**
   * Called every few seconds while git moves the accepted refs one by one. Returns why the remaining refs must not
   * move, in the words that git shows to the user who pushed, or undefined if they may. Refs that have already moved
   * stay. Absent: all may move.
   */
  readonly stands?: () => Promise<string | undefined>;
  /** Called with the refs that moved, before the last byte of the response is sent. Not called if no ref moved. */
  landed(updates: readonly RefUpdate[]): Promise<void>;
}

/** The bytes of the response to a push. */
export interface PushAnswer extends AsyncIterable<Uint8Array> {
  /** Set at the end of the bytes if an error of the server ended the push. Its refs may have moved anyway. */
  readonly fault?: HexforgeError | undefined;
}
