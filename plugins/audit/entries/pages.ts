// The pages of the audit log, and their export.
import {
  api,
  ByteStream,
  HtmlPage,
  offsetOf,
  page,
  pageQuery,
  pageRules,
  readPage,
  reply,
  shape,
  type MenuEntry,
  type Route,
  type WebPage,
} from 'hexforge/plugin';
import type { NumberedEntry } from 'hexforge/audit';
import type { AuditReading } from '#core/audit/use-cases';
import { filterOf, guarded } from './routes.ts';
import { entryFilters, entryParams, presentEntry } from './schemas.ts';
import { auditPath, entryList, entryView, exportPath } from './views.ts';

export const auditPages = (reading: AuditReading): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'auditPage',
    summary: 'The audit log, with filters',
    path: '/admin/audit',
    query: shape({ ...entryFilters, ...pageQuery }),
    async run(call, { query, url }) {
      const at = readPage(pageRules.orDefault(50), query);
      const slice = { limit: at.perPage, offset: offsetOf(at) };
      const { entries: items, total } = await reading.list(call, { ...filterOf(query), ...slice });
      return new HtmlPage({
        title: 'Audit log',
        width: 'wide',
        main: entryList({ ...at, items, total }, query, url, call.now),
      });
    },
  }),
  page({
    ...guarded,
    id: 'auditEntryPage',
    summary: 'One entry of the audit log',
    path: '/admin/audit/{id}',
    params: entryParams,
    async run(call, { params }) {
      const entry = await reading.fetch(call, { id: Number(params.id) });
      return new HtmlPage({ title: entry.action, width: 'wide', main: entryView(entry, call.now) });
    },
  }),
];

async function* lines(all: AsyncIterable<readonly NumberedEntry[]>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const some of all)
    yield encoder.encode(some.map((entry) => `${JSON.stringify(presentEntry(entry))}\n`).join(''));
}

/** The file that the page links to. The session cookie authenticates there. */
export const auditExport = (reading: AuditReading): Route =>
  api({
    ...guarded,
    id: 'auditEntryFile',
    summary: 'The matching entries, one JSON object a line, for browsers',
    method: 'GET',
    mount: 'root',
    path: exportPath,
    cookies: true,
    hidden: true,
    requires: ['PageFrame'],
    meter: 'api.expensive',
    query: shape(entryFilters),
    result: 'bytes',
    run: async (call, { query }) =>
      reply(new ByteStream(lines(reading.all(call, filterOf(query))), { type: 'application/jsonl; charset=utf-8' }), {
        headers: {
          'x-content-type-options': 'nosniff',
          'content-disposition': 'attachment; filename="audit-log.jsonl"',
        },
      }),
  });

export const auditMenu = (reading: AuditReading): MenuEntry => ({
  id: 'audit',
  title: 'Audit log',
  path: auditPath,
  menu: 'admin',
  access: guarded.access,
  order: 80,
  about: 'Who changed what, and when',
  count: async (call) => (await reading.list(call, { ...filterOf({}), limit: 1, offset: 0 })).total,
});
