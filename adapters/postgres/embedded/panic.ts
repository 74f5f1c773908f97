// Notices a PostgreSQL that has given up (PANIC, a trap of its program): PGlite takes that for an error of the
// statement and calls the stopped program again and again.
import type { PGlite } from '@electric-sql/pglite';

/** What Emscripten throws for the jump back into PostgreSQL's main loop: an SQL error, which PGlite answers itself. */
const unwound = 'unwind';

/** The part of Emscripten's module that is touched here. Pinned with PGlite's version; contract tests notice. */
interface Program {
  _PostgresMainLoopOnce: () => void;
  /** Of its stack, which is memory of its own; a WebAssembly global. */
  readonly ___stack_pointer: { value: number };
}

export class PanicWatch {
  readonly #end: (reason: string) => never;
  /** The last line of PostgreSQL's log that tells why it stops. */
  #reason: string | undefined;

  /** @param end ends the thread at once: nothing may be written any more from memory in an unknown state. */
  constructor(end: (reason: string) => never) {
    this.#end = end;
  }

  /** For Emscripten's module. The other lines of the log are dropped: they quote statements. */
  readonly hooks = {
    printErr: (line: string): void => {
      this.#reason = /\b(?:PANIC|FATAL): {1,2}(.*)/.exec(line)?.[1] ?? this.#reason;
    },
    onAbort: (): void => this.#end(this.#reason ?? 'PostgreSQL aborted'),
  };

  /** Why it stops, as PostgreSQL said it. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Of a database that has answered once: before, Emscripten replaces its own functions. */
  guard(database: PGlite): void {
    const { mod } = database as unknown as { readonly mod: Program };
    const once = mod._PostgresMainLoopOnce;
    const stack = mod.___stack_pointer;
    mod._PostgresMainLoopOnce = () => {
      const before = stack.value;
      try {
        once();
      } catch (error) {
        if (error !== unwound) this.#end(this.#reason ?? String(error));
        // The jump leaves on the stack what lay there: after 1,700 errors PostgreSQL would refuse every statement.
        stack.value = before;
        throw error;
      }
    };
  }
}
