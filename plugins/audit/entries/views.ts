// Views of the audit log: the list with its filters, and one entry.
import type { NumberedEntry } from 'hexforge/audit';
import { html, type Html, type Page } from 'hexforge/plugin';
import { empty, facts, filterBar, linkButton, pagination, table, time, urlWith } from 'hexforge/ui';
import type { EntryFilters } from './schemas.ts';

export const auditPath = '/-/admin/audit';
export const exportPath = `${auditPath}.jsonl`;

const actorOf = ({ actorUsername }: NumberedEntry): Html =>
  actorUsername === undefined
    ? html`<span class="muted">anonymous</span>`
    : html`<a href="${urlWith(auditPath, { actor: actorUsername })}"><bdi>${actorUsername}</bdi></a>`;

/** A filter with its label beside it. */
const filterField = (label: string, name: keyof EntryFilters, value = '', type = 'text'): Html =>
  html`<label class="inline">${label} <input type="${type}" name="${name}" value="${value}" /></label>`;

/** A time with its date alone, for a field of the type `date`. */
const dayOf = (text = ''): string => text.slice(0, 10);

const filterForm = ({ actor, action, resource, from, to }: EntryFilters): Html =>
  filterBar(
    auditPath,
    html`${filterField('Who', 'actor', actor)} ${filterField('Action', 'action', action)}
    ${filterField('About', 'resource', resource)} ${filterField('From', 'from', dayOf(from), 'date')}
    ${filterField('To', 'to', dayOf(to), 'date')}`,
  );

/** The most characters of details in a row of the list. */
const shortest = 120;

function summaryOf({ details }: NumberedEntry): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text.length > shortest ? `${text.slice(0, shortest)}…` : text;
}

export const entryList = (entries: Page<NumberedEntry>, filters: EntryFilters, url: string, now: Date): Html =>
  html`<div class="bar">
      <h1 class="grow">Audit log <span class="count">${String(entries.total)}</span></h1>
      ${entries.total > 0 && linkButton('Export JSON', urlWith(exportPath + new URL(url, 'http://localhost').search, { page: undefined }))}
    </div>
    ${filterForm(filters)}
    ${
      entries.items.length === 0
        ? empty('No entry matches', html`<a href="${auditPath}">Show all</a>`)
        : table(
            ['When', 'Who', 'Action', 'About', 'Details'],
            entries.items.map((entry) => [
              html`<a href="${auditPath}/${String(entry.id)}">${time(entry.at, now)}</a>`,
              actorOf(entry),
              html`<a href="${urlWith(auditPath, { action: entry.action })}">${entry.action}</a>`,
              html`<a href="${urlWith(auditPath, { resource: entry.resource })}"
                ><bdi class="clipped">${entry.resource}</bdi></a
              >`,
              html`<bdi class="clipped wide muted">${summaryOf(entry)}</bdi>`,
            ]),
          )
    }
    ${pagination(url, entries)}`;

export function entryView(entry: NumberedEntry, now: Date): Html {
  const rows: readonly (readonly [string, Html | string | false])[] = [
    ['When', html`${entry.at.toISOString()} (${time(entry.at, now)})`],
    ['Who', html`${actorOf(entry)} ${entry.actorId !== undefined && html`<code>${entry.actorId}</code>`}`],
    ['Action', html`<a href="${urlWith(auditPath, { action: entry.action })}">${entry.action}</a>`],
    ['About', html`<a href="${urlWith(auditPath, { resource: entry.resource })}"><bdi>${entry.resource}</bdi></a>`],
    ['Address', entry.ip],
    ['Client', entry.userAgent],
  ];
  return html`<p class="quiet"><a href="${auditPath}">Audit log</a></p>
    <h1>${entry.action} <span class="count">${String(entry.id)}</span></h1>
    ${facts(rows.map(([name, value]) => (value === '' ? undefined : [name, html`<bdi>${value}</bdi>`])))}
    ${
      Object.keys(entry.details).length > 0 &&
      html`<h2>Details</h2>
        <pre class="text">${JSON.stringify(entry.details, undefined, 2)}</pre>`
    }`;
}
