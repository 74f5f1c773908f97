// Compiles regular expressions of users with RE2, whose matching takes linear time.
import { RE2JS } from 're2js';
import type { CompilePattern } from '#core/search/query/pattern';

/** Instructions of a compiled pattern. A larger one takes too long for each character. */
const largest = 200;

/** Ignores case. */
export const linearPattern: CompilePattern = (source) => {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  if (compiled.programSize() > largest)
    return { problem: 'it is too large; use smaller counts and fewer alternatives' };
  return { test: (line) => compiled.test(line) };
};
