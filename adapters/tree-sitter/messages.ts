// The messages between the server and the worker that reads symbols, and their limits.
import type { SymbolDefinition } from '#core/search/model/symbol';

/** In UTF-16 code units, unless it says otherwise. */
export const limits = {
  text: 1024 * 1024,
  name: 200,
  signature: 200,
  /** Definitions of a file. Further ones are left out. */
  definitions: 2000,
  /** Milliseconds of the processor for one file, after which the worker itself stops parsing. */
  parsing: 1500,
  /** Bytes of WebAssembly memory. A parser that needs more fails. */
  memory: 256 * 1024 ** 2,
  /** Bytes of WebAssembly memory after a file, from which the worker is replaced: this memory never shrinks. */
  kept: 96 * 1024 ** 2,
} as const;

export interface Request {
  readonly id: number;
  readonly grammar: string;
  readonly text: string;
}

export interface Answer {
  readonly id: number;
  readonly definitions: readonly SymbolDefinition[];
  /** Set if the file was not parsed within its time. */
  readonly late?: boolean;
  /** Set if the grammar cannot be loaded. */
  readonly missing?: string;
  /** Set if the worker holds so much memory that it should be replaced. */
  readonly full?: boolean;
  /** Set if the parser failed: its state is unknown, and the worker must end. */
  readonly failed?: string;
}

/** `ready` is sent once, before the first answer. */
export type Message = 'ready' | Answer;
