// Deleting a ref that the forge keeps for itself, wherever it stands.
import { Conflict } from '#core/kernel/errors';
import { zeroOid, type GitBackend } from './git-backend.ts';

/** Somebody else may move it meanwhile. */
const attempts = 5;

/** Does nothing where there is none. @throws {Conflict} where it moves each time. */
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
