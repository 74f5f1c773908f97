// The routes of the audit log.
import {
  api,
  moment,
  offsetOf,
  pageRules,
  readPage,
  readSlice,
  superAdmin,
  wholeNumber,
  type Route,
} from 'hexforge/plugin';
import type { AuditFilter } from 'hexforge/audit';
import type { AuditReading } from '#core/audit/use-cases';
import {
  entryJson,
  entryListJson,
  entryParams,
  entryQuery,
  presentEntry,
  type EntryFilters,
  type EntryQuery,
} from './schemas.ts';

/** Reading the audit log requires the super-admin flag; no admin scope is enough. */
export const guarded = { access: superAdmin, scope: 'audit.read' } as const;
const listRule = pageRules.maximum(100, 500);

/** @throws {ValidationFailed} for a malformed time. */
export const filterOf = ({ actor, action, resource, from, to }: EntryFilters): AuditFilter => ({
  actor,
  action,
  resource,
  from: moment('from', from, '00:00:00Z'),
  to: moment('to', to, '23:59:59.999Z'),
});

/** If `page` is absent, the older parameters `limit` and `offset` apply. */
function sliceOf(query: EntryQuery): { readonly limit: number; readonly offset: number; readonly page: number } {
  if (wholeNumber(query.page) !== undefined) {
    const { page, perPage } = readPage(listRule, query);
    return { limit: perPage, offset: offsetOf({ page, perPage }), page };
  }
  const { limit, offset } = readSlice(listRule, { ...query, limit: wholeNumber(query.limit) ?? query.per_page });
  return { limit, offset, page: Math.floor(offset / limit) + 1 };
}

export const entryRoutes = (reading: AuditReading): readonly Route[] => [
  api({
    ...guarded,
    id: 'auditEntryList',
    summary: 'The audit log, the newest entry first',
    method: 'GET',
    path: '/admin/audit-log',
    query: entryQuery,
    result: entryListJson,
    async run(call, { query }) {
      const { page, ...slice } = sliceOf(query);
      const { entries, total } = await reading.list(call, {
        ...slice,
        ...filterOf(query),
      });
      return { entries: entries.map(presentEntry), total, page, per_page: slice.limit };
    },
  }),
  api({
    ...guarded,
    id: 'auditEntryFetch',
    summary: 'One entry of the audit log',
    method: 'GET',
    path: '/admin/audit-log/{id}',
    params: entryParams,
    result: entryJson,
    statuses: [404],
    run: async (call, { params }) => presentEntry(await reading.fetch(call, { id: Number(params.id) })),
  }),
];
