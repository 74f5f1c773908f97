// The page of violations, and their export.
import type { Violation } from 'hexforge/limits';
import {
  api,
  html,
  HtmlPage,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  type Html,
  type Page,
  type Route,
  type WebPage,
} from 'hexforge/plugin';
import { empty, linkButton, pagination, person, table, time } from 'hexforge/ui';
import type { LimitUseCases } from '#core/limits/use-cases';
import { guarded } from '../guard.ts';
import { limitsHead, limitsPath, violationsPath } from '../rule-views.ts';
import { csvOf } from './routes.ts';

const userIn = (subject: string): string | undefined => /^user:([0-9a-f-]{36})/.exec(subject)?.[1];

/** The subject, with the name of its user. */
function subjectText({ subject }: Violation, names: ReadonlyMap<string, string>): Html {
  const id = userIn(subject);
  const name = id === undefined ? undefined : names.get(id);
  if (id === undefined || name === undefined) return html`<bdi>${subject}</bdi>`;
  return html`${person(name)} <span class="muted">${subject.slice(`user:${id}`.length).replace(/^:/, '')}</span>`;
}

const violationList = (found: Page<Violation>, names: ReadonlyMap<string, string>, url: string, now: Date): Html =>
  html`${limitsHead(violationsPath, found.total)}
    <div class="bar">
      <p class="muted grow">The first refused request of each window. Kept for 30 days, at most 10,000.</p>
      ${found.total > 0 && linkButton('Export CSV', `${violationsPath}.csv`)}
    </div>
    ${
      found.items.length === 0
        ? empty('No request was refused', html`Budgets are set <a href="${limitsPath}">by group</a>.`)
        : table(
            ['When', 'Who', 'Kind of request', 'Budget', 'Request', 'Address'],
            found.items.map((violation) => [
              time(violation.at, now),
              subjectText(violation, names),
              violation.scope,
              String(violation.limit),
              html`<code>${violation.method} <bdi>${violation.path}</bdi></code>`,
              violation.ip,
            ]),
          )
    }
    ${pagination(url, found)}`;

export const violationPages = ({ violations, overrides }: LimitUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'rateLimitViolationsPage',
    summary: 'Refused requests, the newest first',
    path: '/admin/limits/violations',
    query: shape(pageQuery),
    async run(call, { query, url }) {
      const found = await violations.list(call, readPage(pageRules.orDefault(50), query));
      const ids = found.items.flatMap(({ subject }) => userIn(subject) ?? []);
      const names = await overrides.usernames(call, ids);
      return new HtmlPage({ title: 'Violations', width: 'wide', main: violationList(found, names, url, call.now) });
    },
  }),
];

/** The file that the page links to. The session cookie authenticates there. */
export const violationExport = (useCases: LimitUseCases): Route =>
  api({
    ...guarded,
    id: 'rateLimitViolationsFile',
    summary: 'All violations that are kept, as CSV, for browsers',
    method: 'GET',
    mount: 'root',
    path: `${violationsPath}.csv`,
    cookies: true,
    hidden: true,
    requires: ['PageFrame'],
    result: 'bytes',
    run: async (call) => csvOf(useCases, call),
  });
