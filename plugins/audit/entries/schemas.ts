// The JSON shapes of audit entries.
import type { NumberedEntry } from 'hexforge/audit';
import { count, Joi, list, maybe, orNull, shape, text, time, uuid, word, type TypeOf } from 'hexforge/plugin';

export const entryJson = shape({
  id: word(),
  actor_id: orNull(uuid()),
  actor_username: orNull(text()),
  action: word(),
  resource_type: text(),
  resource_id: text(),
  resource: text(),
  ip_address: text(),
  user_agent: text(),
  details: Joi.object<Readonly<Record<string, unknown>>>()
    .pattern(Joi.string(), Joi.any())
    .description('Without secrets'),
  created_at: time(),
}).id('AuditEntry');

export const entryListJson = shape({
  entries: list(entryJson),
  total: count(),
  page: count(),
  per_page: count(),
}).id('AuditEntryList');

const filter = (says: string) => maybe(word().max(256).empty('').description(says));
const number = (says: string) => maybe(word().empty('').description(says));
/** The filters of the list and the export. */
export const entryFilters = {
  actor: filter('A username, in any case'),
  action: filter('What the action begins with, such as `user.`'),
  resource: filter('The whole resource, such as `user:ID`'),
  from: filter('A time (RFC 3339), or a date, which begins at 00:00 UTC'),
  to: filter('A time, or a date to its end; both included'),
} as const;
export type EntryFilters = { readonly [Name in keyof typeof entryFilters]?: string };

export const entryQuery = shape({
  ...entryFilters,
  page: number('1-based; default 1'),
  per_page: number('1 to 500, anything else is 500; default 100'),
  limit: number('Where page is absent: as per_page'),
  offset: number('Where page is absent: how many are skipped; default 0'),
});
export type EntryQuery = TypeOf<typeof entryQuery>;

export const entryParams = shape({
  id: word()
    .pattern(/^[1-9]\d{0,29}$/, 'positive integer')
    .description('The number of the entry'),
});

export function presentEntry(entry: NumberedEntry): TypeOf<typeof entryJson> {
  // `type:id`
  const [type = '', ...rest] = entry.resource.split(':');
  return {
    id: String(entry.id),
    actor_id: entry.actorId ?? null,
    actor_username: entry.actorUsername ?? null,
    action: entry.action,
    resource_type: type,
    resource_id: rest.join(':'),
    resource: entry.resource,
    ip_address: entry.ip,
    user_agent: entry.userAgent,
    details: entry.details,
    created_at: entry.at.toISOString(),
  };
}
