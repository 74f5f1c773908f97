// Parses a ref update in one line as git writes it, `OLD NEW REF`: in the commands of a push, and in the request of
// `pre-receive`.
import type { RefUpdate } from '#core/repositories/git/git-backend';
import { isOid } from '../names.ts';

const oidLength = 40;

/** Splits at fixed offsets, because a name may contain nearly every character. Undefined for a malformed line. */
export function refUpdateIn(line: string): RefUpdate | undefined {
  const [afterOld, afterNew] = [oidLength, 2 * oidLength + 1];
  const [old, next, ref] = [line.slice(0, afterOld), line.slice(afterOld + 1, afterNew), line.slice(afterNew + 1)];
  const apart = line[afterOld] === ' ' && line[afterNew] === ' ';
  return apart && isOid(old) && isOid(next) && ref !== '' ? { ref, old, new: next } : undefined;
}
