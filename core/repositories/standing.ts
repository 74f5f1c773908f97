// How a caller stands to a repository: found from owner and name in one query, once per request.
import type { ResourceResolver, Standing } from '#core/kernel/access';
import type { Caller } from '#core/kernel/caller';
import type { PermissionTable } from '#core/kernel/permissions';
import type { CountedRepository } from './fetch.ts';
import type { RepositoryStore, Stood } from './ports.ts';
import { mayRead } from './readable.ts';
import { isRepositoryName, type Repository } from './repository.ts';
import { lateRoleTable, type RoleTable } from './roles.ts';
import './vocabulary.ts';

export function repositoryResolver({
  store,
  permissionTable,
}: {
  readonly store: RepositoryStore;
  readonly permissionTable: PermissionTable;
}): ResourceResolver<'repository'> {
  const table = lateRoleTable(permissionTable);
  return {
    kind: 'repository',
    async resolve(caller, { owner = '', repo = '' }, whole) {
      // What is no name cannot be one: text that only folds to a name does not reach it.
      if (!isRepositoryName(repo) || !/^[A-Za-z0-9\-_.]+$/.test(owner)) return undefined;
      const found = await store.standing(owner, repo, caller.kind === 'user' ? caller.id : undefined, whole);
      return found === undefined ? undefined : standing(found, caller, table());
    },
  };
}

/**
 * Document B, visibility tiers, and document D, role permissions: what somebody holds who is neither the owner nor an
 * administrator.
 */
export function heldPermissions(
  { repository, collaboration }: Stood,
  signedIn: boolean,
  table: RoleTable,
): readonly ReadonlySet<string>[] {
  const open = repository.visibility === 'public' || (repository.visibility === 'internal' && signedIn);
  return [
    ...(open ? [table.of('read')] : []),
    ...(collaboration === undefined ? [] : [table.permissionsOf(collaboration)]),
  ];
}

export function standing(stood: Stood, caller: Caller, table: RoleTable): Standing<Repository> {
  const repository: CountedRepository =
    stood.peopleCounts === undefined ? stood.repository : { ...stood.repository, peopleCounts: stood.peopleCounts };
  if (caller.kind === 'user' && (caller.isAdmin || caller.id === repository.ownerId))
    return { resource: repository, readable: true, may: () => true };
  const held = heldPermissions(stood, caller.kind === 'user', table);
  const may = (permission: string): boolean => held.some((permissions) => permissions.has(permission));
  return { resource: repository, readable: mayRead(repository, stood.collaboration, caller), may };
}
