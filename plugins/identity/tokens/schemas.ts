// The JSON shapes of personal access tokens.
import { tokenNameLimit, type AccessToken } from 'hexforge/identity';
import { list, maybe, orNull, parseInstant, presenter, shape, time, uuid, word } from 'hexforge/plugin';

const tokenMembers = {
  id: uuid(),
  name: word(),
  scopes: list(word()),
  created_at: time(),
  expires_at: orNull(time()),
  last_used_at: orNull(time()),
} as const;

export const tokenJson = shape(tokenMembers).id('Token');
const present = presenter(tokenJson);
export const presentToken = (token: AccessToken) =>
  present({ ...token, expiresAt: token.expiresAt ?? null, lastUsedAt: token.lastUsedAt ?? null });

export const createdTokenJson = shape({
  ...tokenMembers,
  token: word().description('Shown in this answer alone'),
}).id('CreatedToken');

const instant = () =>
  word().custom((value: string, helpers) =>
    parseInstant(value) === undefined ? helpers.error('string.isoDate') : value,
  );

export const newTokenBody = shape({
  name: word().max(tokenNameLimit),
  scopes: list(word().max(64)).max(100),
  expires_at: maybe(orNull(instant()).description('RFC 3339, to the year 9999 in UTC; null or absent: never')),
}).id('NewToken');
