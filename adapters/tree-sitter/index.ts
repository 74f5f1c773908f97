// Reads the definitions of symbols with tree-sitter, in a worker, with bounds on time, queue and memory.
import type { Log } from '#core/kernel/services/log';
import type { SourceText, SymbolReader } from '#core/search/model/symbol';
import { grammarOf } from './grammars.ts';
import { limits } from './messages.ts';
import { defaultTimes, SymbolThread, type ThreadTimes } from './thread.ts';

export interface TreeSitterOptions {
  readonly log: Log;
  readonly times?: Partial<ThreadTimes>;
  /** Of a test. */
  readonly worker?: URL;
}

export interface TreeSitterSymbols extends SymbolReader {
  /** Whether there is a worker. It starts with the first file. */
  readonly running: boolean;
  /** Ends the worker. Files that wait are rejected. */
  stop(): Promise<void>;
}

/** UTF-16 code units of a path or a reason in the log. */
const longestLogged = 200;

export function treeSitterSymbols({ log, times, worker }: TreeSitterOptions): TreeSitterSymbols {
  const restarts: Record<string, number> = {};
  /** Grammars that cannot be loaded, which are reported once each. */
  const missing = new Set<string>();
  const shown = ({ language, path, text }: SourceText): object => ({
    language,
    path: path.slice(0, longestLogged),
    length: text.length,
  });
  const thread = new SymbolThread({
    times: { ...defaultTimes, ...times },
    worker: worker ?? new URL('./worker.ts', import.meta.url),
    ended(file, reason) {
      restarts[file.language] = (restarts[file.language] ?? 0) + 1;
      log.warn({ ...shown(file), reason: reason.slice(0, longestLogged) }, 'A file made the reader of symbols restart');
    },
  });

  return {
    restarts,
    reads: (language) => grammarOf(language, '', '') !== undefined,
    get running() {
      return thread.running;
    },
    async read(file, signal) {
      const { language, path, text } = file;
      if (text.length > limits.text) return [];
      const grammar = grammarOf(language, path, text);
      if (grammar === undefined || missing.has(grammar)) return [];
      const answer = await thread.run({ language, path, grammar, text }, signal);
      if (answer.late === true) log.info(shown(file), 'A file took too long for the reader of symbols');
      if (answer.missing !== undefined && !missing.has(grammar)) {
        missing.add(grammar);
        log.error({ grammar, reason: answer.missing.slice(0, longestLogged) }, 'A grammar cannot be loaded');
      }
      return answer.definitions;
    },
    stop: () => thread.stop(),
  };
}
