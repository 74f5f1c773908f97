// Fixtures for specs of rate limits: use cases on in-memory stores, with groups and a settable clock.
import { fixedClock, Memory, openMemory } from '#adapters/memory/index';
import { systemIds } from '#adapters/system/time';
import type { AuditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { seededGroups, type CountedGroup, type UserGroups, type Users } from '#core/identity/index';
import { limitUseCases } from '#core/limits/use-cases';
import { budgetStore } from '#plugins/limits/budgets/store';
import { overrideStore } from '#plugins/limits/overrides/store';
import { memoryViolationStore } from '#plugins/limits/violations/store-memory';
import { quietLog } from '#test/contracts/storage/storage-engines';

export const ada = '00000000-0000-4000-8000-000000000001';
export const staff = '00000000-0000-4000-8000-0000000000aa';

const group = (id: string, slug: string, role: CountedGroup['role'] = 'member', isSystem = true): CountedGroup => ({
  id,
  slug,
  name: slug,
  description: '',
  role,
  isSystem,
  memberCount: 0,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

const all = [
  group(seededGroups.anonymous, 'anonymous'),
  group(seededGroups.general, 'general'),
  group(seededGroups.admin, 'admin', 'instance_admin'),
  group(staff, 'staff', 'member', false),
];

const caller = {
  kind: 'user',
  id: ada,
  username: 'ada',
  isAdmin: true,
  credential: { kind: 'session', id: 's' },
} as unknown as User;

/** The id of a repository. */
export const hot = '00000000-0000-4000-8000-0000000000bb';

export interface WorldOptions {
  readonly enabled?: boolean;
  readonly withoutGroups?: boolean;
  /** The memory shared with another process. */
  readonly memory?: Memory;
}

export function world({ enabled = true, withoutGroups = false, memory = new Memory() }: WorldOptions = {}) {
  const clock = fixedClock('2030-01-01T00:00:00Z');
  const storage = openMemory({ clock, ids: systemIds, log: quietLog, memory });
  const { database, unitOfWork } = storage;
  const counts = { reads: 0, groups: 0, writes: 0 };
  /** Whether reading the stores fails. */
  const state = { broken: false };
  /** The groups of ada. */
  const membership = { of: [all[1]] as readonly (CountedGroup | undefined)[] };
  /** The existing repositories; undefined without a repositories plugin. */
  const repositories: { all: readonly string[] | undefined } = { all: [hot] };
  const administrators = new Set<string>();
  const entries: AuditEntry[] = [];
  const groups: UserGroups = {
    list: async () => all,
    byId: async (id) => all.find((one) => one.id === id),
    async groupsOf(userId) {
      counts.groups += 1;
      return userId === ada ? membership.of.filter((one) => one !== undefined) : [];
    },
  };
  const users = {
    byIds: async (ids: readonly string[]) => new Map(ids.filter((id) => id === ada).map((id) => [id, { id }])),
    administrators: async (ids: readonly string[]) => new Set(ids.filter((id) => administrators.has(id))),
  } as unknown as Users;
  const budgets = budgetStore.memory(database);
  const violations = memoryViolationStore(database);
  const useCases = limitUseCases({
    enabled,
    clock,
    users,
    targets: () => {
      const { all: kept } = repositories;
      return kept === undefined ? [] : [{ repos: async (ids) => new Set(ids.filter((id) => kept.includes(id))) }, {}];
    },
    unitOfWork,
    ids: systemIds,
    log: quietLog,
    groups: withoutGroups ? undefined : groups,
    events: storage.events,
    audit: { append: async (entry) => void entries.push(entry) },
    overrides: overrideStore.memory(database),
    budgets: {
      ...budgets,
      async all() {
        counts.reads += 1;
        if (state.broken) throw new Error('out of order');
        return budgets.all();
      },
    },
    violations: {
      ...violations,
      async add(some) {
        counts.writes += 1;
        await violations.add(some);
      },
    },
  });
  /** A holder of admin:rate_limit without the super-admin flag. */
  const delegate = (): Call<User> => ({ ...call, caller: { ...caller, isAdmin: false } });
  const call: Call<User> = {
    caller,
    requestId: 'r',
    ip: '192.0.2.1',
    userAgent: 'test',
    signal: new AbortController().signal,
    now: clock.now(),
    renew: async () => call,
  };
  return {
    ...useCases,
    memory,
    clock,
    counts,
    state,
    entries,
    membership,
    repositories,
    call,
    delegate,
    /** The user ids of instance administrators. */
    administrators,
    staffed: [all[1], all[3]],
  };
}
