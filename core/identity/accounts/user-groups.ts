// Use cases of user groups and their members, and the port that other areas use to read memberships.
import { auditEntry, type AuditAction, type AuditEntry, type AuditLog } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { changed } from '#core/kernel/storage/changed';
import {
  Conflict,
  type Duplicate,
  Forbidden,
  found,
  onDuplicate,
  Unprocessable,
  ValidationFailed,
} from '#core/kernel/errors';
import type { Ids } from '#core/kernel/time';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { apiName } from './account-changes.ts';
import type { UserGroups } from '../model/offers.ts';
import type { AccountStore, CountedGroup, GroupMember, GroupStore } from '../model/ports.ts';
import { groupName, groupRole, maxGroups, type GroupRole, type UserGroup } from '../model/user-group.ts';

export interface GroupParts {
  readonly accounts: AccountStore;
  readonly groups: GroupStore;
  readonly audit: AuditLog;
  readonly events: Events;
  readonly unitOfWork: UnitOfWork;
  readonly ids: Ids;
}

export interface NewGroup {
  readonly name: string;
  readonly description: string;
  readonly role: string;
  /** Must be true with the role `instance_admin`, so that the role is not chosen by mistake. */
  readonly grantAdmin: boolean;
}

/** Identifies one group. */
export interface GroupId {
  readonly id: string;
}
type Membership = GroupId & { readonly userId: string };
export type GroupChange = GroupId & Partial<NewGroup>;

const unknownGroup = 'There is no such user group';

const inUse = (cause: Duplicate): Conflict =>
  new Conflict('The name of the group is in use', {
    detail: 'Another group has this name, or one that makes the same slug',
    cause,
  });

/**
 * Only instance administrators may change groups of the role `instance_admin`; the admin scope `admin:users` is not
 * enough.
 */
function checkMay({ caller }: Call<User>, role: GroupRole): void {
  if (role === 'instance_admin' && !caller.isAdmin)
    throw new Forbidden('Only an instance administrator may touch a group of the role instance_admin');
}

function checkGrant(role: GroupRole, grantAdmin: boolean | undefined): void {
  if (role === 'instance_admin' && grantAdmin !== true)
    throw new ValidationFailed('The role instance_admin has to be meant', {
      detail: '"grant_admin" must be true where "role" is instance_admin',
    });
}

export function userGroupUseCases({ accounts, groups, audit, events, unitOfWork, ids }: GroupParts) {
  const known = async (id: string): Promise<CountedGroup> => found(await groups.byId(id), unknownGroup);

  const tell = async (
    call: Call<User>,
    action: AuditAction & `user_group.${string}`,
    { id, slug }: Pick<UserGroup, 'id' | 'slug'>,
    details: AuditEntry['details'] = {},
  ): Promise<void> => {
    await audit.append(auditEntry(call, action, groupAggregate(id), { slug, ...details }));
  };
  const about = (call: Call<User>, id: string) => ({ aggregate: groupAggregate(id), actorId: call.caller.id });

  /** Locks the group until the unit of work ends, and checks that the caller may change it. */
  const held = async (call: Call<User>, id: string): Promise<UserGroup> => {
    const group = found(await groups.lock(id), unknownGroup);
    checkMay(call, group.role);
    return group;
  };
  const withMembers = async (call: Call<User>, id: string): Promise<UserGroup> => {
    const group = await held(call, id);
    if (group.isSystem)
      throw new Conflict('The members of a system group cannot be changed', {
        detail: 'They follow from the accounts of the instance',
      });
    return group;
  };

  return {
    /** The built-in groups first, then by name. */
    list: (_call: Call<User>): Promise<readonly CountedGroup[]> => groups.all(),

    /** @throws {NotFound} if the group does not exist. */
    fetch: (_call: Call<User>, { id }: GroupId): Promise<CountedGroup> => known(id),

    /** @throws {ValidationFailed | Unprocessable | Forbidden | Conflict} */
    async create(call: Call<User>, { name, description, role: wanted, grantAdmin }: NewGroup): Promise<CountedGroup> {
      const named = groupName(name);
      const role = groupRole(wanted);
      checkMay(call, role);
      checkGrant(role, grantAdmin);
      const group: UserGroup = {
        id: ids.uuid(),
        ...named,
        description,
        role,
        isSystem: false,
        createdAt: call.now,
        updatedAt: call.now,
      };
      await onDuplicate(
        () =>
          unitOfWork.run(async () => {
            if ((await groups.count()) >= maxGroups)
              throw new Unprocessable('The instance has no room for another user group', {
                detail: `It has at most ${maxGroups}; delete one`,
              });
            await groups.insert(group);
            await events.emit({
              type: 'user_group.created',
              ...about(call, group.id),
              payload: { group_id: group.id, slug: group.slug },
            });
            await tell(call, 'user_group.created', group, { name: group.name, role });
          }),
        inUse,
      );
      return { ...group, memberCount: 0 };
    },

    /** @throws {ValidationFailed | Unprocessable | NotFound | Forbidden | Conflict} */
    async update(call: Call<User>, { id, grantAdmin, ...wanted }: GroupChange): Promise<CountedGroup> {
      const asked: Partial<UserGroup> = {
        ...(wanted.description !== undefined && { description: wanted.description }),
        ...(wanted.name !== undefined && groupName(wanted.name)),
        ...(wanted.role !== undefined && { role: groupRole(wanted.role) }),
      };
      return onDuplicate(
        () =>
          unitOfWork.run(async () => {
            const before = await held(call, id);
            const changes = changed(before, asked);
            if (changes.role !== undefined) {
              checkMay(call, changes.role);
              checkGrant(changes.role, grantAdmin);
            }
            if (before.isSystem && (changes.slug !== undefined || changes.role !== undefined))
              throw new Conflict('A system group keeps its slug and its role', {
                detail: `A name of it makes the slug "${before.slug}"`,
              });
            const fields = Object.keys(changes).map(apiName);
            if (fields.length === 0) return known(id);
            const after = { ...before, ...changes, updatedAt: call.now };
            await groups.update(after);
            await events.emit({
              type: 'user_group.updated',
              ...about(call, id),
              payload: { group_id: id, slug: after.slug, changed: fields },
            });
            await tell(call, 'user_group.updated', after, { fields, ...changes });
            return known(id);
          }),
        inUse,
      );
    },

    /** Also deletes its memberships. @throws {NotFound | Forbidden | Conflict} */
    delete: (call: Call<User>, { id }: GroupId): Promise<void> =>
      unitOfWork.run(async () => {
        const group = await held(call, id);
        if (group.isSystem) throw new Conflict('A system group cannot be deleted');
        await groups.delete(id);
        await events.emit({
          type: 'user_group.deleted',
          ...about(call, id),
          payload: { group_id: id, slug: group.slug },
        });
        await tell(call, 'user_group.deleted', group, { name: group.name });
      }),

    /** Ordered by name. @throws {NotFound} */
    async members(
      _call: Call<User>,
      { id, ...slice }: GroupId & { readonly limit: number; readonly offset: number },
    ): Promise<{ readonly members: readonly GroupMember[]; readonly total: number }> {
      return groups.members(await known(id), slice);
    },

    /** @throws {NotFound | Forbidden | Conflict} */
    addMember: (call: Call<User>, { id, userId }: Membership): Promise<GroupMember> =>
      onDuplicate(
        () =>
          unitOfWork.run(async () => {
            const group = await withMembers(call, id);
            const { account } = found(await accounts.lock(userId), 'There is no such user');
            await groups.addMember(id, userId, call.now);
            await events.emit({
              type: 'user_group.member_added',
              ...about(call, id),
              payload: { group_id: id, user_id: userId },
            });
            await tell(call, 'user_group.member_added', group, { user_id: userId, username: account.username });
            return { user: account, addedAt: call.now };
          }),
        (cause) => new Conflict('The user is a member of the group already', { cause }),
      ),

    /** @throws {NotFound | Forbidden | Conflict} */
    removeMember: (call: Call<User>, { id, userId }: Membership): Promise<void> =>
      unitOfWork.run(async () => {
        const group = await withMembers(call, id);
        found((await groups.removeMember(id, userId)) || undefined, 'There is no such member');
        await events.emit({
          type: 'user_group.member_removed',
          ...about(call, id),
          payload: { group_id: id, user_id: userId },
        });
        await tell(call, 'user_group.member_removed', group, { user_id: userId });
      }),

    port: {
      list: () => groups.all(),
      byId: (id) => groups.byId(id),
      groupsOf: (userId) => groups.ofUser(userId),
    } satisfies UserGroups,
  };
}

/** The aggregate that orders the events of one group. */
const groupAggregate = (id: string): string => `user_group:${id}`;
