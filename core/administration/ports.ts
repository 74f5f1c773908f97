// Ports of the administration area: the stores of admin-scope grants and of known plugins.
import type { AdminScope } from '#core/kernel/access/admin-grants';
import type { Page, PageRequest } from '#core/kernel/page';
import type { AdminScopeGrant } from './admin-scope.ts';

/** The store of admin-scope grants. Deleting a user deletes their grants. */
export interface AdminGrantStore {
  /**
   * Adds the grant unless the user already holds the scope.
   * @returns whether it was added. @throws {Conflict} if the user does not exist.
   */
  add(grant: AdminScopeGrant): Promise<boolean>;
  /** @returns whether the grant existed. */
  remove(userId: string, scope: AdminScope): Promise<boolean>;
  /** Ordered by the name of the scope. */
  ofUser(userId: string): Promise<readonly AdminScopeGrant[]>;
  /** Users who hold at least one of these scopes, at most `limit`. */
  holders(scopes: readonly AdminScope[], limit: number): Promise<readonly string[]>;
  /** One slice of the grants of a scope, oldest first, and the count of all. */
  ofScope(
    scope: AdminScope,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly grants: readonly AdminScopeGrant[]; readonly total: number }>;
  /** One page of the grants of a scope, of a user, of both or of all, the newest first. */
  page(
    filter: { readonly scope?: AdminScope; readonly userId?: string },
    page: PageRequest,
  ): Promise<Page<AdminScopeGrant>>;
}

/** The store of the plugins that were enabled at the last start. */
export interface KnownPluginStore {
  /** Names, in alphabetical order. */
  all(): Promise<readonly string[]>;
  /** Removes some names and adds others. Must run inside a unit of work. */
  change(added: readonly string[], gone: readonly string[]): Promise<void>;
}
