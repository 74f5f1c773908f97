// Detects a PostgreSQL that has stopped (PANIC, a WebAssembly trap): PGlite takes that for an error of the statement
// and calls the stopped program again.
import type { PGlite } from '@electric-sql/pglite';

/** Emscripten throws this for a jump to PostgreSQL's main loop after an SQL error, which PGlite handles itself. */
const unwound = 'unwind';

/** The part of Emscripten's module that is used here. Pinned with PGlite's version; contract tests detect changes. */
interface Program {
  _PostgresMainLoopOnce: () => void;
  /** The stack pointer, a WebAssembly global. */
  readonly ___stack_pointer: { value: number };
}

export class PanicWatch {
  readonly #end: (reason: string) => never;
  /** Why PostgreSQL stops, in its own words: the last PANIC or FATAL message of its log. */
  reason: string | undefined;

  /** @param end ends the thread at once: its memory is in an unknown state and must not be written to the disk. */
  constructor(end: (reason: string) => never) {
    this.#end = end;
  }

  /** Hooks for Emscripten's module. Other lines of the log are dropped, because they quote statements. */
  readonly hooks = {
    printErr: (line: string): void => {
      this.reason = /\b(?:PANIC|FATAL): {1,2}(.*)/.exec(line)?.[1] ?? this.reason;
    },
    onAbort: (): void => this.#end(this.reason ?? 'PostgreSQL aborted'),
  };

  /** To be called after the database has answered once: before that, Emscripten replaces its own functions. */
  guard(database: PGlite): void {
    const { mod } = database as unknown as { readonly mod: Program };
    const once = mod._PostgresMainLoopOnce;
    const stack = mod.___stack_pointer;
    mod._PostgresMainLoopOnce = () => {
      const before = stack.value;
      try {
        once();
      } catch (error) {
        if (error !== unwound) this.#end(this.reason ?? String(error));
        // The jump does not restore the stack pointer: after 1,700 errors PostgreSQL would reject every statement.
        stack.value = before;
        throw error;
      }
    };
  }
}
