// Deletes a hidden ref, whatever its current value is.
import { Conflict } from '#core/kernel/errors';
import { zeroOid, type GitBackend } from './git-backend.ts';

/** A concurrent change of the ref makes an attempt fail. */
const attempts = 5;

/** Does nothing if the ref does not exist. @throws {Conflict} if the ref moves during every attempt. */
export async function dropRef(
  git: Pick<GitBackend, 'readRefs' | 'moveRefs'>,
  repositoryId: string,
  ref: string,
): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const [old = zeroOid] = await git.readRefs(repositoryId, [ref]);
    if (old === zeroOid || (await git.moveRefs(repositoryId, [{ ref, old, new: zeroOid }])) === 'moved') return;
  }
  throw new Conflict('The ref moves too fast', {
    detail: `"${ref}" was moved by others each time; try again`,
  });
}
