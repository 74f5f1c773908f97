// How many refs a repository may have, branches, tags and others together: every list and every clone names them all.
import { Unprocessable } from '#core/kernel/errors';
import { deletionBudget } from './deletions.ts';
import { zeroOid, type GitBackend, type RefUpdate } from './git-backend.ts';

export const mostRefs = 100_000;
/** Characters of all their names. */
const mostNames = 16 * 1024 ** 2;

type Parts = { readonly git: Pick<GitBackend, 'refList'> };

const sentence = `a repository may have ${mostRefs} refs, with names of ${mostNames} characters together; delete some first`;

/** Those of the updates that would make one ref too many, by the sentence that refuses them. */
export async function refusedByLimit(
  { git }: Parts,
  repositoryId: string,
  updates: readonly RefUpdate[],
): Promise<ReadonlyMap<RefUpdate, string>> {
  const refused = new Map<RefUpdate, string>();
  const created = updates.filter((update) => update.old === zeroOid && update.new !== zeroOid);
  if (created.length === 0) return refused;
  const { refs } = await git.refList(repositoryId, 'all');
  const deleted = updates.filter((update) => update.new === zeroOid && update.old !== zeroOid);
  // Whether they go is decided later: more than may be deleted at once make no room.
  let count = refs.length - Math.min(deleted.length, deletionBudget.limit);
  let names = refs.reduce((length, { name }) => length + name.length, 0);
  for (const update of created) {
    if (count >= mostRefs || names + update.ref.length > mostNames) {
      refused.set(update, sentence);
    } else {
      count += 1;
      names += update.ref.length;
    }
  }
  return refused;
}

/** The same of one ref that is created over REST. @throws {Unprocessable} */
export async function checkRoom(parts: Parts, repositoryId: string, update: RefUpdate): Promise<void> {
  if ((await refusedByLimit(parts, repositoryId, [update])).size > 0)
    throw new Unprocessable('The repository has too many branches and tags', {
      detail: `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`,
    });
}
