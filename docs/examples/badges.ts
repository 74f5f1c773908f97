// A plugin that issues badges, tokens for one scope, and reads them as credentials.
import { createHash, randomBytes } from 'node:crypto';
import { api, defineEntity, definePlugin, p, rows, session, shape, word, type CredentialReader } from 'hexforge/plugin';

interface Badge {
  readonly id: string;
  /** SHA-256 of the token in hexadecimal: a reader of the table cannot use the tokens. */
  readonly digest: string;
  readonly userId: string;
  readonly expiresAt: Date;
}

const BadgeTable = defineEntity({
  name: 'BadgeTable',
  tableName: 'badges_badge',
  properties: { id: p.uuid().primary(), digest: p.text(), userId: p.uuid(), expiresAt: p.datetime() },
});

const prefix = 'badge_';
const hour = 60 * 60 * 1000;
const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export default definePlugin({
  name: 'badges',
  version: '1.0.0',
  api: '^0.2.0',
  // `Users` is needed because a foreign key refers to the table of its provider.
  needs: ['AccountStanding', 'Clock', 'Ids', 'UnitOfWork', 'Users'],
  stores: {
    badges: rows<Badge>(BadgeTable, {
      uniques: { badges_badge_digest: ['digest'] },
      references: { userId: { table: 'identity_user', onDelete: 'restrict' } },
    }),
  },
  entities: [BadgeTable],
  tables: ['badges_badge'],
  references: ['identity_user'],
  migrations: [
    {
      name: '001-badges',
      up: [
        `create table badges_badge (
          id uuid primary key, digest text not null, user_id uuid not null references identity_user (id) on delete restrict,
          expires_at timestamptz not null, constraint badges_badge_digest unique (digest)
        )`,
      ],
    },
  ],
  build: ({ stores, AccountStanding, Clock, Ids, UnitOfWork }) => ({
    async issue(userId: string): Promise<string> {
      const token = `${prefix}${randomBytes(24).toString('base64url')}`;
      const expiresAt = new Date(Clock.now().getTime() + hour);
      await UnitOfWork.run(() => stores.badges.insert({ id: Ids.uuid(), digest: digestOf(token), userId, expiresAt }));
      return token;
    },
    /** Called for every request with such a token, so it costs one query by a unique key. */
    async read(token: string, now: Date): ReturnType<CredentialReader['read']> {
      const badge = await stores.badges.findOne({ digest: digestOf(token) });
      if (badge === undefined || badge.expiresAt <= now) return undefined;
      const account = await AccountStanding?.of(badge.userId);
      return account && { ...account, credential: { kind: 'pat', id: badge.id, scopes: ['repo:read'] } };
    },
    /** A badge that has expired is of no use, so it is deleted. */
    clear: () =>
      UnitOfWork.run(() => stores.badges.deleteMany({ where: {}, ranges: { expiresAt: { '<=': Clock.now() } } })),
  }),
  provides: { CredentialReader: ({ read }) => ({ prefix, read }) },
  routes: ({ issue }) => [
    api({
      id: 'badgeIssue',
      summary: 'Issues a badge for an hour',
      method: 'POST',
      path: '/',
      access: session,
      scope: null,
      success: 201,
      result: shape({ token: word() }).id('IssuedBadge'),
      run: async ({ caller }) => ({ token: await issue(caller.id) }),
    }),
  ],
  jobs: ({ clear }) => [{ name: 'clear', everySeconds: 3600, run: clear }],
});
