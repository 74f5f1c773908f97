// Renders a session as JSON. The refresh token is sent in a cookie instead.
import type { SignedIn } from '#core/identity/use-cases';
import { presentUser } from '../profiles/present.ts';
import type { SessionJson } from './schemas.ts';

export const presentSession = ({ accessToken, account }: SignedIn): SessionJson => ({
  access_token: accessToken,
  user: presentUser(account),
});
