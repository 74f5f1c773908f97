// Contract checks for the ports that decide access and budgets: ResourceResolver, AdminGrants, RateBudgets and
// MeteredTargets.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ResourceResolver } from '#core/kernel/access/access';
import { adminScopes, type AdminGrants } from '#core/kernel/access/admin-grants';
import { anonymous, type Caller } from '#core/kernel/caller';
import type { MeteredTarget, MeteredTargets, RateBudgets } from '#core/kernel/rate';
import type { Check } from './checks.ts';

type Params = Readonly<Record<string, string>>;

export interface ResourceResolverUnderTest {
  readonly resolver: ResourceResolver;
  /** A private thing of each kind that the resolver resolves, by its path parameters. */
  readonly things: Readonly<
    Record<
      string,
      {
        readonly params: Params;
        /** Path parameters of a thing that does not exist. */
        readonly absent: Params;
        /** A caller who may see it and has this permission. */
        readonly owner: Caller;
        readonly permission: string;
        /** A caller who may not see it. */
        readonly stranger: Caller;
      }
    >
  >;
}

type Resolve = (caller: Caller, params: Params) => ReturnType<NonNullable<ResourceResolver['repository']>>;
type Thing = ResourceResolverUnderTest['things'][string];

const each =
  (work: (resolve: Resolve, thing: Thing) => Promise<void>): Check<ResourceResolverUnderTest>['run'] =>
  async ({ resolver, things }) => {
    assert.deepEqual(Object.keys(resolver).sort(), Object.keys(things).sort(), 'a thing is given for each kind');
    for (const [kind, thing] of Object.entries(things))
      await work(Reflect.get(resolver, kind) as unknown as Resolve, thing);
  };

export const resourceResolverChecks: readonly Check<ResourceResolverUnderTest>[] = [
  {
    name: 'a caller who may see a thing gets it, and `may` returns the permissions of the caller',
    run: each(async (resolve, { params, owner, permission }) => {
      const standing = await resolve(owner, params);
      assert.equal(standing?.readable, true);
      assert.equal(standing.may(permission), true);
      assert.notEqual(standing.resource, undefined);
    }),
  },
  {
    name: 'a caller who may not see it gets `readable` false and has no permission',
    run: each(async (resolve, { params, stranger, permission }) => {
      for (const caller of [stranger, anonymous]) {
        const standing = await resolve(caller, params);
        assert.equal(standing?.readable ?? false, false);
        assert.equal(standing?.may(permission) ?? false, false);
      }
    }),
  },
  {
    name: 'a thing that does not exist is undefined for every caller',
    run: each(async (resolve, { absent, owner }) => {
      for (const caller of [owner, anonymous]) assert.equal(await resolve(caller, absent), undefined);
      const odd = Object.fromEntries(Object.keys(absent).map((name) => [name, "' or '1'='1 %_\\ __proto__"]));
      assert.equal(await resolve(owner, odd), undefined);
    }),
  },
];

export interface AdminGrantsUnderTest {
  readonly grants: AdminGrants;
  /** A user with granted scopes. */
  readonly granted: { readonly userId: string; readonly scopes: readonly string[] };
}

export const adminGrantsChecks: readonly Check<AdminGrantsUnderTest>[] = [
  {
    name: 'returns the granted scopes of a user, all of them known scopes',
    async run({ grants, granted }) {
      const scopes = await grants.scopesOf(granted.userId);
      assert.deepEqual([...scopes].sort(), [...granted.scopes].sort());
      for (const scope of scopes) assert.ok((adminScopes as readonly string[]).includes(scope), scope);
    },
  },
  {
    name: 'returns no scopes for a user without grants',
    async run({ grants }) {
      for (const id of [randomUUID(), randomUUID()]) assert.deepEqual([...(await grants.scopesOf(id))], []);
    },
  },
  {
    name: 'returns the holders of each granted scope, within the limit',
    async run({ grants, granted }) {
      if (grants.holders === undefined) return;
      for (const scope of granted.scopes)
        assert.ok((await grants.holders([scope], 1000)).includes(granted.userId), scope);
      assert.equal((await grants.holders(granted.scopes, 1)).length, 1);
      assert.deepEqual(await grants.holders([], 10), []);
    },
  },
];

const callers = [{ isAdmin: false }, { userId: randomUUID(), isAdmin: false }, { userId: randomUUID(), isAdmin: true }];
const meters = ['api.read', 'api.write', 'api.expensive', 'mcp.tool_call'] as const;

export const rateBudgetsChecks: readonly Check<RateBudgets>[] = [
  {
    name: 'each meter of each caller has a budget or undefined, the same for each call',
    async run(budgets) {
      for (const caller of callers)
        for (const meter of meters) {
          const budget = await budgets.budget(meter, caller);
          assert.deepEqual(await budgets.budget(meter, caller), budget);
          if (budget === undefined) continue;
          assert.ok(Number.isInteger(budget.limit) && budget.limit >= 0, `${meter} has the limit ${budget.limit}`);
          assert.ok(budget.windowSeconds > 0, `${meter} has a window of ${budget.windowSeconds} s`);
          assert.ok(['fixed', 'rolling'].includes(budget.window));
        }
    },
  },
];

export interface MeteredTargetsUnderTest {
  readonly targets: MeteredTargets;
  /** The id of one existing thing of each kind. */
  readonly known: Readonly<Partial<Record<MeteredTarget['kind'], string>>>;
}

export const meteredTargetsChecks: readonly Check<MeteredTargetsUnderTest>[] = [
  {
    name: 'returns the ids of a batch that exist, for each kind',
    async run({ targets, known }) {
      const kinds = Object.keys(targets) as MeteredTarget['kind'][];
      assert.deepEqual(kinds.sort(), Object.keys(known).sort(), 'an id is given for each kind');
      for (const kind of kinds) {
        const id = known[kind] ?? '';
        const asked = [randomUUID(), id, ...Array.from({ length: 2000 }, () => randomUUID())];
        assert.deepEqual([...((await targets[kind]?.(asked))?.keys() ?? [])], [id], kind);
        assert.equal((await targets[kind]?.([]))?.size, 0, kind);
      }
    },
  },
];
