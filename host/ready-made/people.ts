// Users as other areas show them: joined in memory, and as JSON.
import type { MemoryDatabase } from '#adapters/memory/database';
import { shape, text, uuid, type TypeOf } from '#adapters/http/descriptor/shape';
import type { PublicUser, PublicUserRow } from '#core/identity/index';

/** All users by id, for a store in memory. The SQL equivalent is a join with the view `identity_public_user`. */
export const publicUsers = (database: MemoryDatabase): ReadonlyMap<string, PublicUser> =>
  new Map(
    database
      .published<PublicUserRow>('identity_public_user')
      .map(({ id, username, display_name, avatar_url }) => [
        id,
        { id, username, displayName: display_name, avatarUrl: avatar_url },
      ]),
  );

/**
 * The shape of a user in responses.
 *
 * @example
 *   const bellJson = shape({ id: uuid(), ringer: userShape() }).id('Bell');
 *   const presentBell = ({ id, ringer }: { id: string; ringer: PublicUser }) => ({ id, ringer: presentUser(ringer) });
 */
export const userShape = () => shape({ id: uuid(), username: text(), display_name: text(), avatar_url: text() });

/** Renders a user in the shape of `userShape`. */
export const presentUser = ({
  id,
  username,
  displayName,
  avatarUrl,
}: PublicUser): TypeOf<ReturnType<typeof userShape>> => ({
  id,
  username,
  display_name: displayName,
  avatar_url: avatarUrl,
});
