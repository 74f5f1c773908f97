// Who may read a repository: the rule on paper, whose twin in SQL is the published function `repositories_readable_by`.
import type { Reader } from './ports.ts';
import type { Repository } from './repository.ts';
import { isRole, type Collaboration } from './roles.ts';

/** Document B, visibility tiers: whoever is signed in, or anybody, may read it. */
export const isOpen = ({ visibility }: Pick<Repository, 'visibility'>, signedIn: boolean): boolean =>
  visibility === 'public' || (visibility === 'internal' && signedIn);

/**
 * Document B, visibility tiers, and document D, role permissions: every role of the table has `repo.read`, a custom one
 * where it was given.
 *
 * @param collaboration the reader's own, where they are a collaborator.
 */
export function mayRead(
  repository: Pick<Repository, 'visibility' | 'ownerId'>,
  collaboration: Pick<Collaboration, 'role' | 'permissions'> | undefined,
  reader: Reader,
): boolean {
  if (isOpen(repository, reader.kind === 'user')) return true;
  if (reader.kind === 'anonymous') return false;
  if (reader.isAdmin || repository.ownerId === reader.id) return true;
  return collaboration !== undefined && (isRole(collaboration.role) || collaboration.permissions.includes('repo.read'));
}
