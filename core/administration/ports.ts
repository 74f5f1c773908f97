// What the administration of the instance asks of the world: where grants of admin scopes and known plugins are kept.
import type { AdminScope } from '#core/kernel/admin-grants';
import type { AdminScopeGrant } from './admin-scope.ts';

/** Where grants of admin scopes are kept. They go with their user. */
export interface AdminGrantStore {
  /**
   * Adds it, unless the user holds the scope already.
   * @returns whether it was added. @throws {Conflict} where there is no such user.
   */
  add(grant: AdminScopeGrant): Promise<boolean>;
  /** @returns whether it was there. */
  remove(userId: string, scope: AdminScope): Promise<boolean>;
  /** By the name of the scope. */
  ofUser(userId: string): Promise<readonly AdminScopeGrant[]>;
  /** Some of those of one scope, the oldest first, and the count of all. */
  ofScope(
    scope: AdminScope,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly grants: readonly AdminScopeGrant[]; readonly total: number }>;
}

/** Remembers which plugins were enabled at the last start. */
export interface KnownPluginStore {
  /** By name. */
  all(): Promise<readonly string[]>;
  /** Inside a unit of work: forgets some and adds others. */
  change(added: readonly string[], gone: readonly string[]): Promise<void>;
}
