// The JSON shapes of sign-in providers and external identities.
import type { ListedProvider } from 'hexforge/identity';
import { list, maybe, oneOf, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';
import { password } from '../accounts/schemas.ts';

export const providersJson = shape({
  items: list(
    shape({
      id: word(),
      kind: oneOf('password', 'redirect').description(
        '`password`: by `POST /auth/login`; `redirect`: the browser goes to `start_url`',
      ),
      display_name: text(),
      start_url: maybe(word()),
    }).id('SignInProvider'),
  ),
}).id('SignInProviders');

export const presentProvider = ({ id, kind, displayName, startPath }: ListedProvider, webUrl: string) => ({
  id,
  kind,
  display_name: displayName,
  ...(startPath !== undefined && { start_url: webUrl + startPath }),
});

const identityJson = shape({
  id: uuid(),
  provider: word(),
  subject_hint: text().description('The name or address at the provider when it was linked'),
  created_at: time(),
}).id('ExternalIdentity');

export const identitiesJson = shape({ items: list(identityJson) }).id('ExternalIdentities');

export const presentIdentity = presenter(identityJson, { subject_hint: 'hint' });

export const linkBody = shape({
  username: maybe(word().max(256).description('For a provider of the kind `password`')),
  password: maybe(password()),
}).id('IdentityLink');

export const linkedJson = shape({
  redirect_url: maybe(word().description('Where the browser goes to confirm; for a provider of the kind `redirect`')),
  id: maybe(uuid()),
  provider: maybe(word()),
  subject_hint: maybe(text()),
  created_at: maybe(time()),
}).id('LinkedIdentity');
