// Regular expressions that users write, matched in linear time.
import type { RE2JS } from 're2js';

/** Instructions of a compiled pattern. A larger one takes too long for each character. */
const largest = 200;

/** A compiled pattern, or the problem of one that cannot be used. */
export type LinearPattern = { readonly problem: string } | { readonly test: (line: string) => boolean };

/**
 * Compiles a regular expression of a user in the syntax of RE2, which has no back references and no lookaround. A test
 * takes time in proportion to the length of the text, and ignores case.
 *
 * @example
 *   const pattern = await linearPattern('^bell (\\d+)$');
 *   const isBell = 'test' in pattern && pattern.test('Bell 7');
 */
export async function linearPattern(source: string): Promise<LinearPattern> {
  // Loaded when it is needed: its tables of Unicode are large.
  const { RE2JS: engine } = await import('re2js');
  let compiled: RE2JS;
  try {
    compiled = engine.compile(source, engine.CASE_INSENSITIVE);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  if (compiled.programSize() > largest)
    return { problem: 'it is too large; use smaller counts and fewer alternatives' };
  return { test: (line) => compiled.test(line) };
}
