// Regular expressions that users write, matched in linear time.
import { RE2JS } from 're2js';

/** Instructions of a compiled pattern. A larger one takes too long for each character. */
const largest = 200;

/** A compiled pattern, or the problem of one that cannot be used. */
export type LinearPattern = { readonly problem: string } | { readonly test: (line: string) => boolean };

/**
 * Compiles a regular expression of a user in the syntax of RE2, which has no back references and no lookaround. A test
 * takes time in proportion to the length of the text, and ignores case.
 *
 * @example
 *   const pattern = linearPattern('^bell (\\d+)$');
 *   const isBell = 'test' in pattern && pattern.test('Bell 7');
 */
export function linearPattern(source: string): LinearPattern {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  if (compiled.programSize() > largest)
    return { problem: 'it is too large; use smaller counts and fewer alternatives' };
  return { test: (line) => compiled.test(line) };
}
