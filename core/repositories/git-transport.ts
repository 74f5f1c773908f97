// Of the port `GitBackend`, serving clones and pushes: the request, and who judges the refs of a push.
import type { HexforgeError } from '#core/kernel/errors';
import type { Oid, RefUpdate } from './git-objects.ts';

/** What was decided about one ref of a push. */
export interface RefVerdict {
  readonly ref: string;
  /** Undefined: accepted. Otherwise the sentence git shows to who pushed. */
  readonly refusal: string | undefined;
  /** Why, where callers are to tell it from other refusals. */
  readonly because?: 'quota';
}

/** Asked once per push for all its refs, with the new objects readable but not yet part of the repository. */
export type JudgeRefs = (
  updates: readonly RefUpdate[],
  objects: {
    isAncestor(older: Oid, newer: Oid): Promise<boolean>;
    /** Whether one refusal refuses all. */
    readonly atomic: boolean;
    /** Bytes that the new objects take on disk. */
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
  /** The request body, inflated already. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** A push, and who judges it and hears of it. */
export interface ReceiveRequest extends ServeRequest {
  /** Told what the client wants to change, before any object is read: the intent is committed here. */
  announced(updates: readonly RefUpdate[]): Promise<void>;
  readonly judge: JudgeRefs;
  /**
   * Asked every few seconds while the refs that were let through move, one after the other: why no more of them may, as
   * git shows it to who pushed; undefined where they may. Those that have moved stay. Absent: all may.
   */
  readonly stands?: () => Promise<string | undefined>;
  /** Told which refs moved, before the answer's last byte goes out. Not told of a push that moved none. */
  landed(updates: readonly RefUpdate[]): Promise<void>;
}

/** The bytes that answer a push. */
export interface PushAnswer extends AsyncIterable<Uint8Array> {
  /** Set by their end where a fault of the server's own ended the push. Its refs may have moved all the same. */
  readonly fault?: HexforgeError | undefined;
}
