// The JSON shapes of applications.
import { clientLimits, defaultScopes, redirectLimits } from 'hexforge/oauth';
import { flag, Joi, list, maybe, orNull, pageOf, pageQuery, shape, text, time, uuid, word } from 'hexforge/plugin';

const members = {
  name: word().max(clientLimits.name),
  description: text().max(clientLimits.description),
  homepage_url: text().max(clientLimits.url),
  logo_url: text().max(clientLimits.url),
} as const;

const uris = () =>
  Joi.alternatives<string | readonly string[]>(
    Joi.string().max(redirectLimits.count * (redirectLimits.length + 2)),
    list(word().max(redirectLimits.length)).max(redirectLimits.count),
  ).description('A list, or one text with whitespace or commas between');
const scopes = () => list(word().max(64)).max(clientLimits.scopes);

const optionalMembers = {
  description: maybe(members.description),
  homepage_url: maybe(members.homepage_url),
  logo_url: maybe(members.logo_url),
} as const;

export const applicationBody = shape({
  name: members.name,
  ...optionalMembers,
  redirect_uris: uris(),
  scopes: maybe(scopes().description(`Default: ${defaultScopes.join(', ')}`)),
  confidential: maybe(flag().strict().description('Whether it can keep a secret; default true')),
}).id('ApplicationCreate');

export const applicationChangeBody = shape({
  name: maybe(members.name),
  ...optionalMembers,
  redirect_uris: maybe(uris()),
  scopes: maybe(scopes()),
}).id('ApplicationUpdate');

const applicationMembers = {
  id: uuid(),
  client_id: word(),
  ...members,
  redirect_uris: list(word()),
  scopes: list(word()),
  confidential: flag(),
  suspended: flag(),
  owner: orNull(word().description('A username; null for one that registered itself')),
  created_at: time(),
  updated_at: time(),
} as const;

export const applicationJson = shape(applicationMembers).id('Application');
export const createdApplicationJson = shape({
  ...applicationMembers,
  client_secret: maybe(word().description('Of a confidential one, in this answer alone')),
}).id('CreatedApplication');
export const applicationPageJson = pageOf(applicationJson).id('ApplicationPage');
export const secretJson = shape({ client_secret: word() }).id('ApplicationSecret');

export const applicationPageQuery = shape(pageQuery);
export const applicationSearchQuery = shape({ ...pageQuery, q: maybe(word().empty('').max(256)) });

export const applicationGrantPageJson = pageOf(
  shape({
    user: orNull(shape({ id: uuid(), username: word() })),
    scopes: list(word()),
    resource: orNull(word()),
    remembered: flag(),
    created_at: time(),
    updated_at: time(),
  }).id('ApplicationGrant'),
).id('ApplicationGrantPage');

/** An entry of the audit log about an application. */
export const applicationAuditPageJson = pageOf(
  shape({
    id: word(),
    actor_id: orNull(uuid()),
    actor_username: orNull(word()),
    action: word(),
    resource_type: word(),
    resource_id: word(),
    resource: word(),
    ip_address: text(),
    user_agent: text(),
    details: Joi.object<Readonly<Record<string, unknown>>>().pattern(Joi.string(), Joi.any()),
    created_at: time(),
  }).id('ApplicationAuditEntry'),
).id('ApplicationAuditPage');
