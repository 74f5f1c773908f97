// Use cases of user groups and their members, and the port that other areas use to read memberships.
import { auditEntry, type AuditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { apiNames, changed, type Asked } from '#core/kernel/storage/changed';
import {
  Conflict,
  type Duplicate,
  Forbidden,
  found,
  onDuplicate,
  Unprocessable,
  ValidationFailed,
} from '#core/kernel/errors';
import { delegation } from './delegation.ts';
import type { EventOf, EventPayloads } from '#core/kernel/storage/events';
import type { identityEvents } from '../model/events.ts';
import type { UserGroups } from '../model/offers.ts';
import type { IdentityParts } from '../model/parts.ts';
import type { CountedGroup, GroupMember } from '../model/ports.ts';
import { groupName, groupRole, maxGroups, type GroupRole, type UserGroup } from '../model/user-group.ts';

export interface NewGroup {
  readonly name: string;
  readonly description: string;
  readonly role: string;
  /** Must be true with the role `instance_admin`, so that the role is not chosen by mistake. */
  readonly grantAdmin: boolean;
}

/** Identifies one group. */
export type GroupId = Pick<UserGroup, 'id'>;
type Membership = GroupId & { readonly userId: string };
export type GroupChange = GroupId & Asked<NewGroup>;

type GroupEvent = Extract<(typeof identityEvents)[number], `user_group.${string}`>;

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

export function userGroupUseCases(parts: IdentityParts) {
  const { groups, audit, events, unitOfWork, ids } = parts;
  const { target, checkMembers } = delegation(parts);
  const known = async (id: string): Promise<CountedGroup> => found(await groups.byId(id), unknownGroup);

  /** Emits the event of a change, and writes its audit entry. @param payload the rest of it. */
  const tell = async <T extends GroupEvent>(
    call: Call<User>,
    type: T,
    { id, slug }: Pick<UserGroup, 'id' | 'slug'>,
    payload: Omit<EventPayloads[T], 'group_id'>,
    details: AuditEntry['details'],
  ): Promise<void> => {
    const aggregate = `user_group:${id}`;
    const event = { type, aggregate, actorId: call.caller.id, payload: { group_id: id, ...payload } };
    await events.emit(event as unknown as Omit<EventOf<T>, 'id' | 'at'>);
    await audit.append(auditEntry(call, type, aggregate, { slug, ...details }));
  };

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

    /** The groups of one user, as of `UserGroups.groupsOf`. */
    ofUser: (_call: Call<User>, { userId }: Pick<Membership, 'userId'>): Promise<readonly UserGroup[]> =>
      groups.ofUser(userId),

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
            const { slug, name: given } = group;
            await tell(call, 'user_group.created', group, { slug }, { name: given, role });
          }),
        inUse,
      );
      return { ...group, memberCount: 0 };
    },

    /** @throws {ValidationFailed | Unprocessable | NotFound | Forbidden | Conflict} */
    async update(call: Call<User>, { id, grantAdmin, ...wanted }: GroupChange): Promise<CountedGroup> {
      const asked: Asked<UserGroup> = {
        description: wanted.description,
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
            const fields = apiNames(changes);
            if (fields.length === 0) return known(id);
            const after = { ...before, ...changes, updatedAt: call.now };
            await groups.update(after);
            const payload = { slug: after.slug, changed: fields };
            await tell(call, 'user_group.updated', after, payload, { fields, ...changes });
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
        await checkMembers(call, id);
        await groups.delete(id);
        const { slug, name } = group;
        await tell(call, 'user_group.deleted', group, { slug }, { name });
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
            const { account } = await target(call, userId);
            await groups.addMember(id, userId, call.now);
            const user = { user_id: userId };
            await tell(call, 'user_group.member_added', group, user, { ...user, username: account.username });
            return { user: account, addedAt: call.now };
          }),
        (cause) => new Conflict('The user is a member of the group already', { cause }),
      ),

    /** @throws {NotFound | Forbidden | Conflict} */
    removeMember: (call: Call<User>, { id, userId }: Membership): Promise<void> =>
      unitOfWork.run(async () => {
        const group = await withMembers(call, id);
        await target(call, userId);
        found((await groups.removeMember(id, userId)) || undefined, 'There is no such member');
        const user = { user_id: userId };
        await tell(call, 'user_group.member_removed', group, user, user);
      }),

    port: {
      list: () => groups.all(),
      byId: (id) => groups.byId(id),
      groupsOf: (userId) => groups.ofUser(userId),
      hasAdministrator: (groupId) => groups.hasAdministrator(groupId),
    } satisfies UserGroups,
  };
}
