// The resource resolver of repositories: finds a repository by owner and name, and the permissions of the caller, in
// one query per request.
import type { ResourceResolver, Standing } from '#core/kernel/access/access';
import type { Caller } from '#core/kernel/caller';
import type { PermissionTable } from '#core/kernel/access/permissions';
import type { CountView, RepositoryCounters } from '../model/offers.ts';
import type { CountedRepository, Reader, RepositoryStore, StandingRow } from '../model/ports.ts';
import { isOpen, mayRead } from './readable.ts';
import { isRepositoryName } from '../model/repository.ts';
import { lateRoleTable, type RoleTable } from '../model/roles.ts';
import '../model/permissions.ts';

export function repositoryResolver({
  store,
  permissionTable,
  counters,
}: {
  readonly store: RepositoryStore;
  readonly permissionTable: PermissionTable;
  readonly counters: () => readonly RepositoryCounters[];
}): ResourceResolver<'repository' | 'counted-repository'> {
  const table = lateRoleTable(permissionTable);
  const resolve = async (
    caller: Caller,
    { owner = '', repo = '' }: Readonly<Record<string, string>>,
    counted?: readonly CountView[],
  ): Promise<Standing<CountedRepository> | undefined> => {
    // Rejects illegal names here, because a name with other letters could match after lower-casing.
    if (!isRepositoryName(repo) || !/^[A-Za-z0-9\-_.]+$/.test(owner)) return undefined;
    const found = await store.standing(owner, repo, caller.kind === 'user' ? caller.id : undefined, counted);
    return found === undefined ? undefined : standing(found, caller, table());
  };
  // The providers do not change while the host runs, and stores compile one query for this list of views.
  let views: readonly CountView[] | undefined;
  return {
    repository: (caller, params) => resolve(caller, params),
    'counted-repository': (caller, params) =>
      resolve(caller, params, (views ??= counters().flatMap(({ view }) => view ?? []))),
  };
}

/**
 * The permissions of a user who is neither the owner nor an administrator: those of the read role if the visibility
 * allows it, and those of the collaboration.
 */
export function heldPermissions(
  { repository, collaboration }: StandingRow,
  signedIn: boolean,
  table: RoleTable,
): readonly ReadonlySet<string>[] {
  return [
    ...(isOpen(repository, signedIn) ? [table.of('read')] : []),
    ...(collaboration === undefined ? [] : [table.permissionsOf(collaboration)]),
  ];
}

export function standing(row: StandingRow, caller: Reader, table: RoleTable): Standing<CountedRepository> {
  const repository: CountedRepository =
    row.counts === undefined ? row.repository : { ...row.repository, found: row.counts };
  if (caller.kind === 'user' && (caller.isAdmin || caller.id === repository.ownerId))
    return { resource: repository, readable: true, may: () => true };
  const held = heldPermissions(row, caller.kind === 'user', table);
  const may = (permission: string): boolean => held.some((permissions) => permissions.has(permission));
  return { resource: repository, readable: mayRead(repository, row.collaboration, caller), may };
}
