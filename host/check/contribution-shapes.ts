// The runtime shapes of contributions: routes, channels, tools, indexers, pages, subscriptions, jobs and probes.
import type { LiveChannel } from '#adapters/http/live/channel';
import type { Route } from '#adapters/http/descriptor/route';
import type { Subscription } from '#core/kernel/storage/events';
import type { Indexer } from '../plugin/indexers.ts';
import type { DashboardCard, MenuEntry, PageForm, RepositoryTab, SidePanel, WebPage } from '../plugin/pages.ts';
import type { Tool } from '../plugin/tools.ts';
import type { Job, Probe } from '../plugin/definition.ts';
import {
  count,
  flag,
  fn,
  later,
  leaf,
  list,
  name,
  object,
  objectSchema,
  objectSchemaOr,
  oneOf,
  optional,
  optionals,
  required,
  schemaOr,
  text,
  variant,
  type Shape,
} from './shape.ts';

const isScopeRow = (value: unknown): boolean => value === null || (typeof value === 'string' && value !== '');
const scope = required(
  leaf('the name of a scope row, or null', isScopeRow),
  'Name the row of the scope catalogue a token must satisfy, or null where any credential will do',
);
const meter = required(
  oneOf('api.read', 'api.write', 'api.expensive', 'mcp.tool_call', 'none'),
  'Make it with `api`, `channel`, `tool` or `page`, which know the usual one, or name it',
);

/**
 * Two parameters must not touch, and `{name*}` must be a whole segment and the last one. `.` and `..` are excluded,
 * because clients resolve them.
 */
const segment = /^(?!\.{1,2}$)[\w!$&'()+,;=:@~.-]*(?:\{\w+\}[\w!$&'()+,;=:@~.-]+)*(?:\{\w+\})?$/;
function isPath(value: unknown): boolean {
  if (typeof value !== 'string' || !value.startsWith('/')) return false;
  if (value === '/') return true;
  const segments = value
    .slice(1)
    .replace(/\/\{\w+\*\}$/, '')
    .split('/');
  const alone = /^\/\{\w+\*\}$/.test(value);
  const names = [...value.matchAll(/\{(\w+)/g)].map(([, name]) => name);
  return (alone || segments.every((one) => one !== '' && segment.test(one))) && new Set(names).size === names.length;
}
const anyPath = leaf(
  'a path such as "/bells/{name}", which begins with "/", does not end with it, and names each parameter once,',
  isPath,
);
const path = required(anyPath, 'Say where it is served, such as "/{name}"');

const permitted = object('an access rule about a thing', {
  who: required(oneOf('permitted')),
  resource: required(text),
  permission: required(text),
  needsUser: required(flag),
  anonymous: required(oneOf(401, 404)),
  hidden: required(oneOf(404, 403)),
  lacking: required(oneOf(403, 404)),
  orAdminScope: optional(text),
});
const administrators = object('an access rule', {
  who: required(oneOf('admin')),
  scopes: required(list(text)),
  any: optional(flag),
});
const others = object('an access rule', {
  who: required(oneOf('anyone', 'signed-in', 'session', 'admin', 'super-admin', 'permitted'), 'Say who may'),
});
const accessRule = variant('who', { permitted, admin: administrators }, others);
const access = required(accessRule, "Say who may: `anyone`, `signedIn`, or such as `reads('repository', 'repo.read')`");
const served = { path, access, scope, meter };
const run = required(fn, 'Add the function that answers');

export const route: Shape = object('a route', {
  id: required(name, 'Give it an id, such as "bellList"'),
  summary: required(text, 'Say in a few words what it does'),
  method: required(oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), 'Name its method, such as "GET"'),
  path,
  mount: optional(oneOf('root')),
  access,
  scope,
  meter,
  requires: optional(list(text)),
  ...optionals(later(objectSchema), 'params', 'query'),
  body: optional(later(objectSchemaOr('raw', 'json'))),
  maxBytes: optional(later(count)),
  success: optional(later(oneOf(200, 201, 202, 204, 302, 303, 308))),
  result: required(
    later(schemaOr('bytes', 'html', 'empty')),
    'Say what it answers: a schema such as `shape({ … })`, "bytes", "html", or "empty"',
  ),
  statuses: optional(later(list(count))),
  errorMembers: optional(later(objectSchema)),
  ...optionals(
    flag,
    'sameForAll',
    'cookies',
    'form',
    'files',
    'fromOtherSites',
    'errorPages',
    'ownCredentials',
    'cors',
  ),
  ...optionals(fn, 'there', 'open', 'resource', 'refusal', 'kept'),
  ...optionals(flag, 'basic', 'refusesTrailingSlash', 'hidden', 'deprecated'),
  run,
} satisfies Record<keyof Route, unknown>);

export const channel: Shape = object('a channel', {
  id: required(name, 'Give it an id, such as "bellLive"'),
  summary: required(text, 'Say in a few words what it tells'),
  ...served,
  params: optional(later(objectSchema)),
  follows: required(list(text), 'Name the events that followers are told of'),
  follow: required(fn, 'Add the function that names what is followed'),
  message: required(fn, 'Add the function that says what an event tells, and whom'),
} satisfies Record<keyof LiveChannel, unknown>);

export const tool: Shape = object('a tool', {
  name: required(
    leaf(
      'a name of lower-case letters, digits and "_"',
      (value) => typeof value === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(value),
    ),
    'Name it, such as "list_bells"',
  ),
  title: optional(text),
  family: optional(text),
  description: required(text, 'Say what it does and when to use it'),
  access,
  scope,
  input: optional(later(objectSchema)),
  output: required(later(objectSchema), 'Say what it answers: a schema such as `shape({ … })`'),
  run,
} satisfies Record<keyof Tool, unknown>);

export const indexer: Shape = object('an indexer', {
  name: required(name, 'Name the section of a search, such as "bells"'),
  description: required(text, 'Say what it finds'),
  scope,
  permission: optional(text),
  optIn: optional(flag),
  source: required(later(objectSchema), 'Say what a hit shows: a schema such as `shape({ … })`'),
  follows: required(list(text), 'Name the events after which its documents are others'),
  touched: required(fn, 'Add the function that names the documents that an event may have changed'),
  document: required(fn, 'Add the function that reads one document'),
  documents: required(fn, 'Add the function that reads all documents of a repository'),
} satisfies Record<keyof Indexer, unknown>);

const place = required(
  oneOf('instance', 'repository', 'root'),
  'Make it with `page` or `form`, which know the usual one',
);

const form: Shape = object('a form', {
  id: required(name, 'Give it an id, such as "bellRing"'),
  summary: required(text, 'Say in a few words what it does'),
  place,
  ...served,
  body: required(later(objectSchema), 'Say what it sends: a schema such as `shape({ … })`'),
  files: optional(flag),
  maxBytes: optional(later(count)),
  secrets: optional(list(text)),
  run,
} satisfies Record<keyof PageForm, unknown>);

export const page: Shape = object('a page', {
  id: required(name, 'Give it an id, such as "bellList"'),
  summary: required(text, 'Say in a few words what it shows'),
  place,
  ...served,
  ...optionals(later(objectSchema), 'params', 'query'),
  forms: required(list(form), 'Make it with `page`'),
  run,
} satisfies Record<keyof WebPage, unknown>);

const entry = {
  id: required(name, 'Give it an id, such as "bells"'),
  title: required(text, 'Give it a title, such as "Bells"'),
  order: optional(leaf('a number', (value) => typeof value === 'number')),
};

export const tab: Shape = object('a tab', {
  ...entry,
  path,
  place: optional(oneOf('repository', 'root')),
  currentOn: optional(list(anyPath)),
  menu: optional(oneOf('tabs', 'settings', 'keys')),
  key: optional(text),
  permission: required(text, 'Name the permission of those who see it, such as "repo.read"'),
  count: optional(fn),
} satisfies Record<keyof RepositoryTab, unknown>);

export const menuEntry: Shape = object('a menu entry', {
  ...entry,
  path,
  menu: required(oneOf('instance', 'account', 'settings', 'admin', 'new', 'search-box'), 'Say in which menu it is'),
  access: required(variant('who', { admin: administrators }, others), 'Say who sees it, such as `signedIn`'),
  suggestions: optional(anyPath),
  about: optional(text),
  count: optional(fn),
} satisfies Record<keyof MenuEntry, unknown>);

export const card: Shape = object('a card', { ...entry, run } satisfies Record<keyof DashboardCard, unknown>);

export const panel: Shape = object('a panel', {
  ...entry,
  on: required(oneOf('repository', 'issue', 'merge-request', 'file'), 'Say beside what it is'),
  run,
} satisfies Record<keyof SidePanel, unknown>);

export const subscription: Shape = object('a subscription', {
  type: required(name, 'Name the type of event, such as "repository.deleted"'),
  also: optional(list(name)),
  name: required(name, 'Name it: its progress is kept under that name'),
  delivery: required(oneOf('durable', 'broadcast'), 'Say how it is delivered: "durable" or "broadcast"'),
  ...optionals(flag, 'optional', 'past'),
  handle: required(fn, 'Add the function that handles an event'),
} satisfies Record<keyof Subscription, unknown>);

/** The longest Node timer in seconds; a longer one fires at once. */
const longestTimer = Math.floor((2 ** 31 - 1) / 1000);
export const job: Shape = object('a job', {
  name: required(name, 'Name it'),
  everySeconds: required(
    later(
      leaf(
        `a number above 0, at most ${longestTimer}`,
        (value) => typeof value === 'number' && value > 0 && value <= longestTimer,
      ),
    ),
    'Say how many seconds lie between its runs',
  ),
  run: required(fn, 'Add the function that does the work'),
} satisfies Record<keyof Job, unknown>);

export const probe: Shape = object('a probe', {
  name: required(name, 'Name it'),
  check: required(fn, 'Add the function that says what is wrong'),
  details: optional(fn),
} satisfies Record<keyof Probe, unknown>);
