// Use cases of the budgets of groups: list them, change one, and reset one to its default.
import type { Call, User } from '#core/kernel/caller';
import type { AuditEntry } from '#core/kernel/services/audit';
import { changed, type Asked } from '#core/kernel/storage/changed';
import { Forbidden, found, Unavailable } from '#core/kernel/errors';
import { seededGroups, type UserGroup, type UserGroups } from '#core/identity/index';
import { adminGroup, generalGroup, ruleOf } from './metering.ts';
import type { RuleParts } from './parts.ts';
import {
  bestNarrows,
  counts,
  defaultRule,
  highest,
  narrows,
  rateScope,
  rateScopes,
  type RateRule,
  type RateScope,
} from './rule.ts';
import type { StoredRules } from './rules-in-effect.ts';
import { tellRule } from './tell-rule.ts';

/** The rule of one scope, and whether it is the default. */
export interface ScopeRule extends RateRule {
  readonly scope: RateScope;
  readonly isDefault: boolean;
}

/** A group and its rules. */
export interface GroupRules {
  readonly group: Pick<UserGroup, 'id' | 'slug' | 'name'>;
  readonly rules: readonly ScopeRule[];
}

/** Identifies one budget. */
export interface GroupScope {
  readonly groupId: string;
  readonly scope: string;
}

const scopeRule = (rules: StoredRules, group: UserGroup, scope: RateScope): ScopeRule => ({
  ...ruleOf(rules, group, scope),
  scope,
  isDefault: rules.budget(group.id, scope) === undefined,
});

const groupRules = (rules: StoredRules, group: UserGroup): GroupRules => ({
  group,
  rules: rateScopes.map((scope) => scopeRule(rules, group, scope)),
});

/** @throws {Unavailable} if no plugin provides user groups. */
export function present(groups: UserGroups | undefined): UserGroups {
  if (groups === undefined)
    throw new Unavailable('The user-group store (plugin "identity") is not available', {
      detail: 'Ask the administrator to enable it',
    });
  return groups;
}

/**
 * Instance administrators need these requests before they have a credential: the form of the sign-in, the sign-in
 * itself, and the first request of a git client.
 */
const beforeSignIn: readonly RateScope[] = ['api.read', 'api.write'];
/** The budget that is left for them: the default of writes. */
const leastBeforeSignIn = defaultRule('anonymous', 'api.write');

export const mayNotNarrow = (): Forbidden =>
  new Forbidden('Only an instance administrator may narrow the budget of instance administrators', {
    detail: 'The admin scope admin:rate_limit is not enough',
  });

export function budgetUseCases(parts: RuleParts) {
  const { budgets, groups, rules, unitOfWork } = parts;

  /** Whether instance administrators are among the members. */
  const hasAdministrators = async (group: UserGroup): Promise<boolean> => {
    if (group.isSystem) return group.id !== seededGroups.anonymous;
    return (await present(groups).hasAdministrator?.(group.id)) ?? true;
  };

  /** Whether the change narrows what instance administrators have: directly, or by their best budget. */
  const narrowsAdministrators = async (
    group: UserGroup,
    scope: RateScope,
    before: RateRule,
    after: RateRule,
  ): Promise<boolean> => {
    if (!narrows(before, after)) return false;
    if (group.role === 'instance_admin') return true;
    if (group.id === seededGroups.anonymous)
      return beforeSignIn.includes(scope) && counts(after) && narrows(leastBeforeSignIn, after);
    const stored = await rules.read();
    const others = [adminGroup, generalGroup].filter(({ id }) => id !== group.id);
    const best = (rule: RateRule) => highest([...others.map((other) => ruleOf(stored, other, scope)), rule]);
    return bestNarrows(best(before), best(after)) && (await hasAdministrators(group));
  };

  /** The budgets of instance administrators are narrowed by instance administrators alone. @throws {Forbidden} */
  const checkMayChange = async (
    { caller }: Call<User>,
    group: UserGroup,
    { scope, ...before }: Omit<ScopeRule, 'isDefault'>,
    after: RateRule,
  ): Promise<void> => {
    if (!caller.isAdmin && (await narrowsAdministrators(group, scope, before, after))) throw mayNotNarrow();
  };

  const known = async (id: string): Promise<UserGroup> =>
    found(await present(groups).byId(id), 'There is no such user group');

  const tell = (
    call: Call<User>,
    action: 'rate_limit.updated' | 'rate_limit.reset',
    { id, slug }: UserGroup,
    details: { readonly scope: RateScope } & AuditEntry['details'],
  ): Promise<void> => tellRule(parts, call, action, `user_group:${id}`, { slug, ...details });

  return {
    /** The budgets of all groups: the built-in groups first, then by name. */
    async matrix(_call: Call<User>): Promise<readonly GroupRules[]> {
      const all = await present(groups).list();
      const stored = await rules.read();
      return all.map((group) => groupRules(stored, group));
    },

    /** @throws {NotFound} if the group does not exist. */
    async ofGroup(_call: Call<User>, { groupId }: Pick<GroupScope, 'groupId'>): Promise<GroupRules> {
      return groupRules(await rules.read(), await known(groupId));
    },

    /**
     * @param note written to the audit log only.
     * @throws {NotFound} if the group or the scope does not exist. @throws {Forbidden} as `checkMayChange`.
     */
    async update(
      call: Call<User>,
      { groupId, scope: name, note, ...wanted }: GroupScope & { readonly note?: string | undefined } & Asked<RateRule>,
    ): Promise<ScopeRule> {
      const scope = rateScope(name);
      const group = await known(groupId);
      return rules.change(async () => {
        await budgets.hold();
        const { isDefault, ...before } = scopeRule(await rules.read(), group, scope);
        const changes = changed(before, wanted);
        if (Object.keys(changes).length === 0) return { ...before, isDefault };
        const after = { ...before, ...changes };
        await checkMayChange(call, group, before, after);
        await budgets.put({ ...after, groupId });
        const notes = note !== undefined && { notes: note };
        const details = { scope, from: ruleDetails(before), to: ruleDetails(after), ...notes };
        await tell(call, 'rate_limit.updated', group, details);
        return { ...after, isDefault: false };
      });
    },

    /** @throws {NotFound} if the group or the scope does not exist. @throws {Forbidden} as `checkMayChange`. */
    async reset(call: Call<User>, { groupId, scope: name }: GroupScope): Promise<ScopeRule> {
      const scope = rateScope(name);
      const group = await known(groupId);
      return rules.change(async () => {
        await budgets.hold();
        const before = scopeRule(await rules.read(), group, scope);
        const removed = await budgets.remove(groupId, scope);
        const after = scopeRule(await rules.read(), group, scope);
        await checkMayChange(call, group, before, after);
        if (removed) await tell(call, 'rate_limit.reset', group, { scope, from: ruleDetails(before) });
        return after;
      });
    },

    /** Deletes the budgets of a deleted group. */
    drop: (groupId: string): Promise<void> => unitOfWork.run(() => budgets.removeGroup(groupId)),
  };
}

/** The form of a rule in the audit log. */
export const ruleDetails = ({ requestsPerWindow, windowSeconds, burst, action, enabled }: RateRule): object => ({
  requests_per_window: requestsPerWindow,
  window_seconds: windowSeconds,
  burst,
  action,
  enabled,
});
