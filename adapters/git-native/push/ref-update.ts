// A ref update as git writes it in one line, `OLD NEW REF`: in the commands of a push, and in what `pre-receive` asks.
import type { RefUpdate } from '#core/repositories/git-backend';
import { isOid } from '../refs/names.ts';

const oidLength = 40;

/** By fixed places, for a name may hold nearly every character. Undefined for a line that is none. */
export function refUpdateIn(line: string): RefUpdate | undefined {
  const [afterOld, afterNew] = [oidLength, 2 * oidLength + 1];
  const [old, next, ref] = [line.slice(0, afterOld), line.slice(afterOld + 1, afterNew), line.slice(afterNew + 1)];
  const apart = line[afterOld] === ' ' && line[afterNew] === ' ';
  return apart && isOid(old) && isOid(next) && ref !== '' ? { ref, old, new: next } : undefined;
}
