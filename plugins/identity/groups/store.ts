// The store of user groups and their members in PostgreSQL.
import { groupNameKey, seededGroups, type GroupStore } from 'hexforge/identity';
import { columnsOf, countOf, rawSql, type SqlDatabase } from 'hexforge/plugin';
import { GroupTable, rows } from '../tables.ts';

const columns = columnsOf(GroupTable, 'identity_group', { except: ['nameKey'] });

/** PostgreSQL only runs the sub-select of the branch that applies. */
const memberCount = rawSql<number>`case
  when id = ${seededGroups.general} then (select count(*) from identity_user)
  when id = ${seededGroups.admin} then (select count(*) from identity_user where is_admin)
  else (select count(*) from identity_group_member where group_id = identity_group.id) end`;
/** The seeded groups first, in the order of their ids; then the others by name. */
const order = rawSql`is_system desc, case when is_system then id::text else name_key end`;

export function sqlGroupStore(database: SqlDatabase): GroupStore {
  const db = () => rows(database);
  const counted = () =>
    db()
      .selectFrom('identity_group')
      .select([...columns, memberCount.as('memberCount')]);
  const publicColumns = ['id', 'username', 'display_name as displayName', 'avatar_url as avatarUrl'] as const;

  return {
    all: () => counted().orderBy(order).execute(),
    byId: (id) => counted().where('id', '=', id).executeTakeFirst(),
    async count() {
      await rawSql`select pg_advisory_xact_lock(hashtextextended('identity.groups', 0))`.execute(db());
      return countOf(db().selectFrom('identity_group'));
    },
    async insert(group) {
      await database.em().insert(GroupTable, { ...group, nameKey: groupNameKey(group.name) });
    },
    // `for no key update` lets concurrent transactions write rows that refer to the group.
    lock: (id) =>
      db().selectFrom('identity_group').select(columns).where('id', '=', id).forNoKeyUpdate().executeTakeFirst(),
    async update({ id, ...group }) {
      await database.em().nativeUpdate(GroupTable, { id }, { ...group, nameKey: groupNameKey(group.name) });
    },
    async delete(id) {
      await database.em().nativeDelete(GroupTable, { id });
    },
    async members({ id }, { limit, offset }) {
      if (id === seededGroups.anonymous) return { members: [], total: 0 };
      const seeded = id === seededGroups.general || id === seededGroups.admin;
      const users = seeded
        ? db()
            .selectFrom('identity_user')
            .select([...publicColumns, 'username_key', 'created_at as addedAt'])
            .$if(id === seededGroups.admin, (all) => all.where('is_admin', '=', true))
        : db()
            .selectFrom('identity_group_member')
            .innerJoin('identity_user', 'id', 'user_id')
            .select([...publicColumns, 'username_key', 'added_at as addedAt'])
            .where('group_id', '=', id);
      const found = await users.orderBy('username_key').limit(limit).offset(offset).execute();
      const total = await countOf(users);
      return { members: found.map(({ addedAt, username_key: _key, ...user }) => ({ user, addedAt })), total };
    },
    async addMember(groupId, userId, addedAt) {
      await db()
        .insertInto('identity_group_member')
        .values({ group_id: groupId, user_id: userId, added_at: addedAt })
        .execute();
    },
    async removeMember(groupId, userId) {
      const { numDeletedRows } = await db()
        .deleteFrom('identity_group_member')
        .where('group_id', '=', groupId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async hasAdministrator(groupId, beyond) {
      const found = await db()
        .selectFrom('identity_group_member')
        .innerJoin('identity_user', 'identity_user.id', 'identity_group_member.user_id')
        .select('identity_user.id')
        .where('group_id', '=', groupId)
        .where(({ eb, or, exists, selectFrom }) =>
          or([
            eb('is_admin', '=', true),
            ...(beyond === undefined
              ? []
              : [
                  eb('identity_user.id', '=', rawSql<string>`any(${beyond.ids}::uuid[])`),
                  exists(
                    selectFrom('identity_group_member as other')
                      .innerJoin('identity_group', 'identity_group.id', 'other.group_id')
                      .select('other.user_id')
                      .whereRef('other.user_id', '=', 'identity_user.id')
                      .where('role', '=', 'instance_admin'),
                  ),
                ]),
          ]),
        )
        .where(({ eb, val }) => eb(val(beyond?.except ?? null), 'is distinct from', eb.ref('identity_user.id')))
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },
    ofUser(userId) {
      const account = db().selectFrom('identity_user').where('identity_user.id', '=', userId);
      return db()
        .selectFrom('identity_group')
        .select(columns)
        .where(({ or, eb, exists, and }) =>
          or([
            and([eb('id', '=', seededGroups.general), exists(account.select('identity_user.id'))]),
            and([
              eb('id', '=', seededGroups.admin),
              exists(account.select('identity_user.id').where('is_admin', '=', true)),
            ]),
            eb('id', 'in', (of) =>
              of.selectFrom('identity_group_member').select('group_id').where('user_id', '=', userId),
            ),
          ]),
        )
        .orderBy(order)
        .execute();
    },
  } satisfies GroupStore;
}
