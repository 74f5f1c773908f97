// The rule of who can read a repository. The published SQL function `repositories_readable_by` implements the same
// rule.
import type { Caller } from '#core/kernel/caller';
import type { Reader } from '../model/ports.ts';
import type { Repository } from '../model/repository.ts';
import { isRole, type Collaboration } from '../model/roles.ts';

/** Whether everybody, or every signed-in user, can read it by its visibility. */
export const isOpen = ({ visibility }: Pick<Repository, 'visibility'>, signedIn: boolean): boolean =>
  visibility === 'public' || (visibility === 'internal' && signedIn);

/**
 * Every built-in role has `repo.read`; a custom role has it if it contains it.
 *
 * @param collaboration the reader's own, if they are a collaborator.
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

/** The reader for whom queries filter. */
export const readerOf = (caller: Caller): Reader =>
  caller.kind === 'user' ? { kind: 'user', id: caller.id, isAdmin: caller.isAdmin } : { kind: 'anonymous' };
