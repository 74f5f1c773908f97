// Determines the budget of a request: the highest budget of the caller's groups, narrowed by an override.
import { Lru } from '#core/kernel/limits/lru';
import type { RateBudgets } from '#core/kernel/rate';
import { seededGroups, type UserGroup } from '#core/identity/index';
import type { RuleParts } from './parts.ts';
import type { StoredRules } from './rules-in-effect.ts';
import { budgetOf, counts, defaultRule, highest, rateOf, type RateRule, type RateScope } from './rule.ts';
import type { ViolationRecorder } from './violation-recorder.ts';

/** Milliseconds that the groups of a user are cached. Events of changes clear the cache earlier. */
const groupsStaleAfter = 10_000;
const usersKept = 10_000;

type Grouped = Pick<UserGroup, 'id' | 'role'>;

/** Returns the stored rule of a group. The default of a group that is not built in depends on its role. */
export function ruleOf(rules: StoredRules, { id, role }: Grouped, scope: RateScope): RateRule {
  const stored = rules.budget(id, scope);
  if (stored !== undefined) return stored;
  if (id === seededGroups.anonymous) return defaultRule('anonymous', scope);
  return defaultRule(role === 'instance_admin' ? 'admin' : 'general', scope);
}

const anonymousGroup: Grouped = { id: seededGroups.anonymous, role: 'member' };
export const generalGroup: Grouped = { id: seededGroups.general, role: 'member' };
export const adminGroup: Grouped = { id: seededGroups.admin, role: 'instance_admin' };
/** The built-in groups of an account. */
const seededGroupsOf = (isAdmin: boolean): readonly Grouped[] =>
  isAdmin ? [generalGroup, adminGroup] : [generalGroup];

export function metering({ enabled, rules, groups, clock }: RuleParts, recorder: ViolationRecorder) {
  const kept = new Lru<{ readonly groups: readonly Grouped[]; readonly at: number }>(usersKept);
  /** Counts the changes. Groups that were read before a change are not cached. */
  let changes = 0;

  const ownGroups = async (userId: string): Promise<readonly Grouped[]> => {
    if (groups === undefined) return [];
    const at = clock.now().getTime();
    const known = kept.get(userId);
    if (known !== undefined && Math.abs(at - known.at) < groupsStaleAfter) return known.groups;
    const before = changes;
    const found = (await groups.groupsOf(userId))
      .filter(({ isSystem }) => !isSystem)
      .map(({ id, role }) => ({ id, role }));
    if (before === changes) kept.set(userId, { groups: found, at });
    return found;
  };

  return {
    port: {
      async budget(scope, { userId, isAdmin }) {
        if (!enabled) return undefined;
        const stored = await rules.current();
        if (userId === undefined) return budgetOf(ruleOf(stored, anonymousGroup, scope));
        const all = [...seededGroupsOf(isAdmin), ...(await ownGroups(userId))];
        const granted = highest(all.map((group) => ruleOf(stored, group, scope)));
        const override = stored.override({ kind: 'users', targetId: userId, scope });
        if (override === undefined || !counts(override) || (isAdmin && !override.byAdmin)) return budgetOf(granted);
        // The budget of the groups may have become narrower than the override since the override was set.
        return budgetOf(granted !== undefined && rateOf(granted) < rateOf(override) ? granted : override);
      },
      async narrowed(scope, { kind, id }, { isAdmin } = { isAdmin: false }) {
        if (!enabled) return undefined;
        const override = (await rules.current()).override({ kind, targetId: id, scope });
        return isAdmin && override?.byAdmin === false ? undefined : budgetOf(override);
      },
      refused: (refusal) => recorder.record(refusal),
    } satisfies RateBudgets,
    /** Clears the cached groups of this user, or of all users. */
    forgetGroups(userId = ''): void {
      changes += 1;
      kept.forget(userId);
    },
  };
}
