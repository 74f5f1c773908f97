// Use cases of overrides: narrower budgets for one user, one token, the requests of one application, or the requests to
// one repository.
import type { Call, User } from '#core/kernel/caller';
import { found, NotFound, Unprocessable } from '#core/kernel/errors';
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import { mayNotNarrow, present, ruleDetails } from './budgets.ts';
import { ruleOf } from './metering.ts';
import type { RuleParts } from './parts.ts';
import { overrideKinds, type Override, type OverrideKey, type OverrideKind } from './ports.ts';
import { counts, highest, rateOf, rateScope, type RateRule, type RateScope } from './rule.ts';
import { tellRule } from './tell-rule.ts';

/** Limited because every process caches all overrides in memory. */
export const maxOverrides = 2000;

/** Identifies one override. */
export interface Target {
  readonly kind: string;
  readonly targetId: string;
  readonly scope: string;
}

/** @throws {NotFound} if overrides of this kind do not exist. */
function overrideKind(name: string): OverrideKind {
  const known = overrideKinds.find((kind) => kind === name);
  if (known === undefined)
    throw new NotFound('There are no overrides of this kind', { detail: `There are ${overrideKinds.join(', ')}` });
  return known;
}

const nouns: Readonly<Record<OverrideKind, string>> = {
  repos: 'repository',
  apps: 'application',
  tokens: 'personal access token',
  users: 'user',
};

export function overrideUseCases(parts: RuleParts) {
  const { budgets, overrides, users, targets, groups, rules, unitOfWork } = parts;

  /**
   * Returns which of these ids exist, each with the id of its owner if the provider knows it; undefined if no provider
   * checks this kind.
   */
  const there = async (
    kind: OverrideKind,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string | undefined> | undefined> => {
    if (kind === 'users') return new Map([...(await users.byIds(ids)).keys()].map((id) => [id, id]));
    const found = await Promise.all(targets().flatMap((kept) => kept[kind]?.(ids) ?? []));
    const owners = found.flatMap((known) =>
      [...known.keys()].map((id): [string, string | undefined] => [
        id,
        known instanceof Map ? known.get(id) : undefined,
      ]),
    );
    return found.length === 0 ? undefined : new Map(owners);
  };

  /**
   * Others cannot narrow the budget of an instance administrator or of their token. Overrides of repositories and
   * applications concern all callers, so an override set by others does not apply to instance administrators.
   * @throws {Forbidden}
   */
  const checkMaySet = async ({ caller }: Call<User>, kind: OverrideKind, owner: string | undefined): Promise<void> => {
    if (caller.isAdmin || owner === undefined || (kind !== 'users' && kind !== 'tokens')) return;
    if ((await users.administrators([owner])).has(owner)) throw mayNotNarrow();
  };

  const tell = (
    call: Call<User>,
    action: 'rate_limit_override.set' | 'rate_limit_override.deleted',
    { kind, targetId, scope }: OverrideKey,
    details: object = {},
  ): Promise<void> => {
    const resource = `rate_limit_override:${kind}/${targetId}/${scope}`;
    return tellRule(parts, call, action, resource, { kind, target_id: targetId, scope, ...details });
  };

  /** The budget without an override: for a user the highest of their groups, otherwise the highest of all groups. */
  const widest = async (kind: OverrideKind, targetId: string, scope: RateScope): Promise<RateRule | undefined> => {
    const all = kind === 'users' ? await present(groups).groupsOf(targetId) : await present(groups).list();
    const stored = await rules.read();
    return highest(all.map((group) => ruleOf(stored, group, scope)));
  };

  return {
    /** @throws {NotFound} if overrides of this kind do not exist. */
    async list(_call: Call<User>, { kind, ...page }: PageRequest & Pick<Target, 'kind'>) {
      const slice = { limit: page.perPage, offset: offsetOf(page) };
      const { overrides: items, total } = await overrides.list(overrideKind(kind), slice);
      return { ...page, items, total } satisfies Page<Override>;
    },

    /** The usernames of the users with an override. One query. */
    async usernames(_call: Call<User>, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      return new Map([...(await users.byIds(userIds))].map(([id, { username }]) => [id, username]));
    },

    /** The id of a user. @throws {NotFound} */
    userNamed: async (_call: Call<User>, username: string): Promise<string> =>
      found(await users.byUsername(username), 'There is no such user').id,

    /** @throws {NotFound} if the kind or scope does not exist. */
    fetch: async (_call: Call<User>, { kind, targetId, scope }: Target): Promise<Override | undefined> =>
      overrides.get({ kind: overrideKind(kind), targetId, scope: rateScope(scope) }),

    /**
     * @throws {NotFound} if the kind, the scope or the target does not exist. @throws {Unprocessable} if the override
     * is wider than the target's budget, or the maximum number of overrides is reached. @throws {Forbidden}
     */
    async set(
      call: Call<User>,
      { kind: kindName, targetId, scope: name, reason, ...rule }: Target & RateRule & { readonly reason: string },
    ): Promise<Override> {
      const kind = overrideKind(kindName);
      const scope = rateScope(name);
      const known = await there(kind, [targetId]);
      if (known?.has(targetId) !== true) throw new NotFound(`There is no such ${nouns[kind]}`);
      await checkMaySet(call, kind, known.get(targetId));
      const most = await widest(kind, targetId, scope);
      if (most !== undefined && counts(rule) && rateOf(rule) > rateOf(most))
        throw new Unprocessable("The override is wider than the group's budget", {
          detail: `An override narrows; the budget "${scope}" is ${most.requestsPerWindow + most.burst} requests in ${most.windowSeconds} seconds`,
        });
      const byAdmin = call.caller.isAdmin;
      const override: Override = { ...rule, kind, targetId, scope, reason, byAdmin, updatedAt: call.now };
      return rules.change(async () => {
        await budgets.hold();
        const before = await overrides.get(override);
        if (before === undefined && (await overrides.count()) >= maxOverrides)
          throw new Unprocessable('There is no room for another override', {
            detail: `There are at most ${maxOverrides}; delete one`,
          });
        await overrides.put(override);
        await tell(call, 'rate_limit_override.set', override, { ...ruleDetails(override), reason });
        return override;
      });
    },

    /** @throws {NotFound} if the override does not exist. */
    async delete(call: Call<User>, { kind, targetId, scope: name }: Target): Promise<void> {
      const key: OverrideKey = { kind: overrideKind(kind), targetId, scope: rateScope(name) };
      await rules.change(async () => {
        found((await overrides.remove(key)) || undefined, 'There is no such override');
        await tell(call, 'rate_limit_override.deleted', key);
      });
    },

    /** Deletes overrides of targets that no longer exist. Keeps those of kinds that no running provider can check. */
    async prune(): Promise<void> {
      const all = await overrides.all();
      for (const kind of overrideKinds) {
        const ids = [...new Set(all.filter((one) => one.kind === kind).map(({ targetId }) => targetId))];
        const kept = ids.length === 0 ? undefined : await there(kind, ids);
        if (kept === undefined) continue;
        const gone = ids.filter((id) => !kept.has(id));
        if (gone.length > 0) await unitOfWork.run(() => overrides.removeTargets(kind, gone));
      }
    },
  };
}
