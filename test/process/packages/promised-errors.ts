// The compile errors that the types promise to plugin authors: one line for each, with a corrected line that compiles.
/** Declarations that the lines use in addition to `ownWords` of outside-words.ts. */
const prelude = `
import {
  anyone, api, changes, count, declarePort, defineEntity, definePlugin, html, HtmlPage, indexer, maybe, on, p, page, reads, reply,
  rows, shape, signedIn, text, tool, word,
  type Events, type Granted, type MemoryDatabase, type Sealer, type Settings, type TypeOf, type User,
} from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { contracts } from 'hexforge/testing/contracts';
import { testHost } from 'hexforge/testing';
import type { Bell } from './own-words.ts';
import bell from './own-words.ts';

const base = { name: 'a', version: '1.0.0', api: '*' };
const nothing = { result: 'empty', run: () => undefined } as const;
const about = { id: 'x', summary: 'x', method: 'GET', path: '/{owner}/{repo}', scope: null } as const;
const open = { ...about, access: anyone } as const;
const reading = { ...about, access: reads('repository', 'repo.read') } as const;
const unscoped = { id: 'x', summary: 'x', method: 'GET', path: '/x', access: anyone } as const;
const sized = shape({ name: text(), size: count(), note: maybe(text()) });
const heard = { name: 'a', delivery: 'durable' } as const;
const listed = { name: 'a', description: 'a', scope: null } as const;
const untold = { id: 'x', summary: 'x', path: '/{tower}', scope: null } as const;
const told = { ...untold, access: anyone } as const;
const listing = { ...listed, access: signedIn } as const;
const found = { key: 'a', text: 'a', updatedAt: new Date(0) } as const;
const ringing = { aggregate: 'bell:1' } as const;
const setting = { key: 'bell.loud', type: 'boolean', default: true, description: 'a' } as const;
interface Ringing { readonly id: string; readonly times: number }
const RingingTable = defineEntity({ name: 'a', tableName: 'a', properties: { id: p.uuid().primary(), times: p.integer() } });
const both = { sql: () => 1, memory: () => 1 };
declare const ring: (granted: Granted<Repository, 'bell.ring', User>) => void;
declare const events: Events;
declare const settings: Settings;
declare const quiet: { readonly ring: () => Promise<number> };
declare const loud: Bell;
declare const memory: MemoryDatabase;
declare const sealer: Sealer;
declare const repository: Repository;
declare const look: (granted: Granted<Repository, 'repo.read'>) => void;
const indexed = { document: async () => undefined, documents: (_: string): AsyncIterable<never> => none() };
declare const none: () => AsyncIterable<never>;
`.split('\n');

/**
 * Each line has the good token and the bad one as `«good→bad»`; `code` and `says` are the compiler error of the bad
 * one.
 */
type Row = readonly [promise: string, line: string, code: string, says?: RegExp];

const ports: readonly Row[] = [
  ['an unknown port in `needs`', "definePlugin({ ...base, needs: ['«Bell→Bells»'] });", 'TS2820'],
  ['an unknown port in `late`', "definePlugin({ ...base, late: ['«Chimes→Chime»'] });", 'TS2820'],
  ['a single port in `late`', "definePlugin({ ...base, late: ['«LoudBell→Bell»'] });", 'TS2322'],
  [
    'a need that is not declared',
    "definePlugin({ ...base, needs: ['«Bell→Clock»'], build: ({ Bell }) => [Bell] });",
    'TS2339',
  ],
  [
    'a late need read as one of `needs`',
    "definePlugin({ ...base, «needs→late»: ['Chimes'], build: ({ Chimes }) => [Chimes] });",
    'TS2339',
  ],
  [
    'one of `needs` read as a late need',
    "definePlugin({ ...base, «late→needs»: ['Chimes'], build: ({ late }) => [late.Chimes] });",
    'TS2339',
  ],
  [
    'an optional port that is not guarded',
    "definePlugin({ ...base, needs: ['LoudBell'], build: ({ LoudBell }) => LoudBell«?.→.»ring() });",
    'TS18048',
  ],
  [
    'a late optional port that is not guarded',
    "definePlugin({ ...base, late: ['LoudBell'], build: ({ late }) => late.LoudBell«?.→.»ring() });",
    'TS18048',
  ],
  [
    'a plural port taken for one',
    "definePlugin({ ...base, needs: ['Bell', 'Chimes'], build: (all) => all.«Bell→Chimes».ring() });",
    'TS2339',
  ],
  [
    'a single port taken for many',
    "definePlugin({ ...base, needs: ['Bell', 'Chimes'], build: (all) => all.«Chimes→Bell».length });",
    'TS2339',
  ],
  [
    'an argument that a port does not take',
    "definePlugin({ ...base, needs: ['GitBackend'], build: ({ GitBackend }) => GitBackend.refs('a', '«branches→heads»') });",
    'TS2345',
  ],
  ['a member that the context has not', 'definePlugin({ ...base, build: ({ «log→logs» }) => 1 });', 'TS2339'],
  ['a provider of an unknown port', 'definePlugin({ ...base, provides: { «Chimes→Chime»: () => loud } });', 'TS2561'],
  ['a provider of another shape', 'definePlugin({ ...base, provides: { Bell: () => «loud→quiet» } });', 'TS2322'],
  [
    'a provider without a method of its port',
    "definePlugin({ ...base, provides: { Bell: () => ({ «ring→wring»: async () => 'a' }) } });",
    'TS2322',
  ],
  ['a provider that is promised', 'definePlugin({ ...base, provides: { Bell: «→async» () => loud } });', 'TS2322'],
  [
    'a password directory that does not say who',
    "definePlugin({ ...base, provides: { PasswordDirectory: () => ({ check: async () => ({ «username→name»: 'a' }) }) } });",
    'TS2322',
  ],
  [
    'a port declared with another arity',
    "declarePort('«Bell→Chimes»', { arity: 'single', component: 'a', critical: false, absent: 'refuse' });",
    'TS2322',
  ],
  [
    'a port declared without a contract',
    "declarePort('«Bell→Bells»', { arity: 'single', component: 'a', critical: false, absent: 'refuse' });",
    'TS2345',
  ],
];

const definitions: readonly Row[] = [
  ['a misspelt member of the definition', "definePlugin({ ...base, «needs→need»: ['Bell'] });", 'TS2561'],
  [
    'a definition without its range of the API',
    "definePlugin({ name: 'a', version: '1.0.0', «api→apis»: '*' });",
    'TS2561',
  ],
  ['an unknown way to fail', "definePlugin({ ...base, onFailure: '«isolate→ignore»' });", 'TS2322'],
  [
    'configuration of another shape',
    'definePlugin({ ...base, config: sized, build: ({ config }) => config.«size→sise» });',
    'TS2339',
  ],
  [
    'a value of the configuration of another type',
    'definePlugin({ ...base, config: sized, build: ({ config }) => config.«size→name».toFixed() });',
    'TS2551',
  ],
  [
    'a value of the configuration that may be absent',
    'definePlugin({ ...base, config: sized, build: ({ config }) => config.note«?.→.»length });',
    'TS18048',
  ],
  [
    'parts of another shape',
    'definePlugin({ ...base, build: () => ({ one: 1 }), start: async ({ «one→two» }) => undefined });',
    'TS2339',
  ],
  [
    'a store that is not declared',
    'definePlugin({ ...base, stores: { rings: both }, build: ({ stores }) => stores.«rings→ring» });',
    'TS2551',
  ],
  [
    'a store without its twin in memory',
    'definePlugin({ ...base, stores: { rings: { sql: () => 1, «memory→memo»: () => 1 } } });',
    'TS2353',
  ],
  [
    'a row by a column it has not',
    'rows<Ringing>(RingingTable).memory(memory).findOne({ «times→time»: 1 });',
    'TS2561',
  ],
  [
    'a value that a column does not hold',
    "rows<Ringing>(RingingTable).memory(memory).findOne({ «id→times»: 'a' });",
    'TS2322',
  ],
  [
    'an order by a column it has not',
    "rows<Ringing>(RingingTable).memory(memory).find({ where: {}, orderBy: ['«times→time»'] });",
    'TS2820',
  ],
  [
    'a constraint on a column it has not',
    "rows<Ringing>(RingingTable, { uniques: { a: ['«times→time»'] } });",
    'TS2820',
  ],
  [
    'a migration without its statements',
    "definePlugin({ ...base, migrations: [{ name: '001', «up→down»: [] }] });",
    'TS2353',
  ],
  [
    'a job without a name',
    "definePlugin({ ...base, jobs: () => [{ «name→title»: 'a', everySeconds: 1, run: async () => undefined }] });",
    'TS2322',
  ],
  [
    'a job that does not say when it has ended',
    "definePlugin({ ...base, jobs: () => [{ name: 'a', everySeconds: 1, run: «async→» () => undefined }] });",
    'TS2322',
  ],
  [
    'a probe that answers yes or no',
    "definePlugin({ ...base, probes: () => [{ name: 'a', check: async () => «undefined→true» }] });",
    'TS2322',
  ],
];

const words: readonly Row[] = [
  ['an unknown event', "on('«bell.rung→bell.wrung»', { ...heard, handle: async () => undefined });", 'TS2345'],
  [
    'a payload of another shape',
    "on('bell.rung', { ...heard, handle: async ({ payload }) => void payload.«times→time» });",
    'TS2551',
  ],
  [
    'a delivery that there is not',
    "on('bell.rung', { name: 'a', delivery: '«durable→later»', handle: async () => undefined });",
    'TS2322',
  ],
  ['an unknown event in `emits`', "definePlugin({ ...base, emits: ['«bell.rung→bell.wrung»'] });", 'TS2820'],
  [
    'an unknown event that is emitted',
    "events.emit({ ...ringing, type: '«bell.rung→bell.wrung»', payload: { times: 1 } });",
    'TS2820',
  ],
  [
    'a payload that is emitted in another shape',
    "events.emit({ ...ringing, type: 'bell.rung', payload: { «times→time»: 1 } });",
    'TS2561',
  ],
  [
    'a payload of another type',
    "events.emit({ ...ringing, type: 'bell.rung', payload: { times: «1→'one'» } });",
    'TS2322',
  ],
  [
    'an unknown key in `settings`',
    "definePlugin({ ...base, settings: [{ ...setting, key: '«bell.loud→bell.lout»' }] });",
    'TS2820',
  ],
  [
    'a setting of another type than its values',
    "definePlugin({ ...base, settings: [{ ...setting, key: '«bell.loud→bell.times»' }] });",
    'TS2322',
  ],
  ['a default of another type', 'definePlugin({ ...base, settings: [{ ...setting, default: «true→1» }] });', 'TS2322'],
  ['an unknown key in `reads`', "definePlugin({ ...base, reads: ['«signup.enabled→signup.enable»'] });", 'TS2820'],
  ['an unknown setting that is read', "settings.get('«bell.loud→bell.lout»');", 'TS2345'],
  [
    'a value of a setting of another type',
    "settings.get('«bell.times→bell.loud»').then((times) => times.toFixed());",
    'TS2339',
  ],
  ['an unknown scope row', "definePlugin({ ...base, scopes: [{ name: '«bell.ring→bell.wring»' }] });", 'TS2820'],
  [
    'a scope row that includes an unknown one',
    "definePlugin({ ...base, scopes: [{ name: 'bell.ring', includes: ['«repo.read→repo.reed»'] }] });",
    'TS2820',
  ],
  [
    'a permission from an unknown role',
    "definePlugin({ ...base, permissions: [{ name: 'bell.ring', from: '«write→writer»' }] });",
    'TS2820',
  ],
];

const routes: readonly Row[] = [
  ['a route without access', 'api({ ...«open→about», ...nothing });', 'TS2741'],
  ['a route without scope', 'api({ ...«open→unscoped», ...nothing });', 'TS2741'],
  ['an unknown scope', "api({ ...open, ...nothing, scope: '«bell.ring→bell.wring»' });", 'TS2820'],
  ['an unknown meter', "api({ ...open, ...nothing, meter: '«none→nothing»' });", 'TS2322'],
  ['an unknown method', "api({ ...open, ...nothing, method: '«GET→FETCH»' });", 'TS2322'],
  ['a misspelt member of a route', 'api({ ...open, ...nothing, «statuses→status»: [409] });', 'TS2561'],
  ['an unknown resource', "reads('«tower→steeple»', 'tower.climb');", 'TS2345'],
  ['an unknown permission', "reads('repository', '«repo.read→repo.reed»');", 'TS2345'],
  ['a permission of another resource', "changes('repository', '«bell.ring→tower.climb»');", 'TS2345'],
  [
    'a proof where the rule gives none',
    "api({ ...«reading→open», result: 'empty', run: (_, { granted }) => void granted.resource });",
    'TS18048',
  ],
  [
    'a member that the resource has not',
    "api({ ...reading, result: 'empty', run: (_, { granted }) => void granted.resource.«name→title» });",
    'TS2339',
  ],
  [
    'a proof of another permission for a use case',
    "api({ ...about, access: changes('repository', '«bell.ring→repo.write»'), result: 'empty', run: (_, { granted }) => ring(granted) });",
    'TS2345',
  ],
  [
    'a proof of a read for a change',
    "api({ ...about, access: «changes→reads»('repository', 'bell.ring'), result: 'empty', run: (_, { granted }) => ring(granted) });",
    'TS2345',
  ],
  [
    'a use case called without the proof',
    "api({ ...reading, result: 'empty', run: (_, { granted }) => look(«granted→repository») });",
    'TS2739',
  ],
  [
    'a caller who may be anonymous',
    "api({ ...about, access: «changes→reads»('repository', 'repo.read'), result: 'empty', run: ({ caller }) => void caller.username });",
    'TS2339',
  ],
  [
    'a caller where anyone may call',
    "api({ ...about, access: «signedIn→anyone», result: 'empty', run: ({ caller }) => void caller.username });",
    'TS2339',
  ],
  [
    'a caller of a proof who may be anonymous',
    "api({ ...about, access: «changes→reads»('repository', 'repo.read'), result: 'empty', run: (_, { granted }) => void granted.call.caller.id });",
    'TS2339',
  ],
  [
    'a parameter that the path has not',
    "api({ ...open, result: 'empty', run: (_, { params }) => void params.«repo→name» });",
    'TS2339',
  ],
  [
    'a member of the body that its shape has not',
    "api({ ...open, body: sized, result: 'empty', run: (_, { body }) => void body.«size→sise» });",
    'TS2339',
  ],
  [
    'a member of the query that its shape has not',
    "api({ ...open, query: sized, result: 'empty', run: (_, { query }) => void query.«size→sise» });",
    'TS2339',
  ],
  [
    'a body where none is declared',
    "api({ ...open, «body→query»: sized, result: 'empty', run: (_, { body }) => void body.size });",
    'TS18048',
  ],
  [
    'a result that misses a member',
    "api({ ...open, result: sized, run: () => ({ name: 'a', «size→times»: 1 }) });",
    'TS2322',
    /\n {2}Property 'size' is missing in type '\{ name: string; times: number; \}' but required in type '\{ readonly name: string; readonly note\?: string; readonly size: number; \}'\.$/,
  ],
  [
    'a result with a member of another type',
    "api({ ...open, result: sized, run: () => ({ name: 'a', size: «1→'one'» }) });",
    'TS2322',
    /Type 'string' is not assignable to type 'number'/,
  ],
  ['a result where there is none', "api({ ...open, result: 'empty', run: () => «undefined→1» });", 'TS2322'],
  [
    'an optional port in a handler without `requires`',
    "api({ ...open, requires: ['LoudBell'], result: 'empty', run: (_, { ports }) => void ports.«LoudBell→AccountRecovery» });",
    'TS2339',
  ],
  [
    'a route that requires a port that is not optional',
    "api({ ...open, ...nothing, requires: ['«LoudBell→Bell»'] });",
    'TS2322',
  ],
  [
    'a cookie for every site',
    "reply(undefined, { cookies: [{ name: 'a', value: 'a', sameSite: '«Lax→None»', path: '/', maxAgeSeconds: 1 }] });",
    'TS2322',
  ],
];

const contributions: readonly Row[] = [
  [
    'a tool without access',
    "tool({ ...«listing→listed», output: sized, run: () => ({ name: 'a', size: 1 }) });",
    'TS2345',
  ],
  [
    'a tool of an unknown scope',
    "tool({ ...listing, scope: '«repo.read→repo.reed»', output: sized, run: () => ({ name: 'a', size: 1 }) });",
    'TS2820',
  ],
  [
    'an output of a tool in another shape',
    "tool({ ...listing, output: sized, run: () => ({ name: 'a', size: «1→'one'» }) });",
    'TS2322',
  ],
  [
    'an input of a tool that its shape has not',
    'tool({ ...listing, input: sized, output: sized, run: (_, { input }) => ({ name: input.«name→title», size: 1 }) });',
    'TS2339',
  ],
  [
    'an indexer that follows an unknown event',
    "indexer({ ...listed, source: sized, follows: ['«bell.rung→bell.wrung»'], touched: () => [], ...indexed });",
    'TS2820',
  ],
  [
    'the payload of an event that the indexer does not follow',
    "indexer({ ...listed, source: sized, follows: ['«bell.rung→user.deleted»'], touched: ({ payload }) => [{ repositoryId: 'a', key: String(payload.times) }], ...indexed });",
    'TS2339',
  ],
  [
    'a document of another shape',
    "indexer({ ...listed, source: sized, follows: ['bell.rung'], touched: () => [], ...indexed, document: async () => ({ ...found, source: { name: 'a', size: «1→'one'» } }) });",
    'TS2322',
  ],
  [
    'a page without access',
    "page({ ...«told→untold», run: () => new HtmlPage({ title: 'a', main: html`a` }) });",
    'TS2741',
  ],
  [
    'a page that answers other than its content',
    "page({ ...told, run: () => new HtmlPage({ title: 'a', «main→text»: html`a` }) });",
    'TS2353',
  ],
  [
    'a parameter that the path of the page has not',
    'page({ ...told, run: (_, { params }) => new HtmlPage({ title: params.«tower→name», main: html`a` }) });',
    'TS2339',
  ],
];

const rest: readonly Row[] = [
  [
    'a type that its shape does not have',
    "export const of: TypeOf<typeof sized> = { name: 'a', «size→sise»: 1 };",
    'TS2353',
  ],
  [
    'a way to a repository that the test host has not',
    "void testHost(bell, { «repositories→repository»: ['a/b'] });",
    'TS2561',
  ],
  ['an unknown database of the test host', "void testHost(bell, { database: '«embedded→embed»' });", 'TS2322'],
  ['a provider of another shape under the contract', 'contracts.Sealer(() => «sealer→loud»);', 'TS2322'],
  ['an unknown contract', 'contracts.«Sealer→Sealers»(() => sealer);', 'TS2551'],
  ['the inside of the package', "import type {} from 'hexforge/«plugin→core/kernel/errors.js»';", 'TS2307'],
];

export interface Promised {
  readonly promise: string;
  /** A line that compiles. */
  readonly good: string;
  /** A line that does not compile because of one token. */
  readonly bad: string;
  /** The code of the compiler error, such as `TS2322`. */
  readonly code: string;
  readonly says: RegExp | undefined;
}

const marked = /«([^«→]*)→([^»]*)»/;

export const promises: readonly Promised[] = [ports, definitions, words, routes, contributions, rest].flatMap((rows) =>
  rows.map(([promise, line, code, says]) => ({
    promise,
    good: line.replace(marked, '$1'),
    bad: line.replace(marked, '$2'),
    code,
    says,
  })),
);

/** The module in which every line compiles, and the one in which no line does. */
export const modules = {
  good: [...prelude, ...promises.map(({ good }) => good)].join('\n'),
  bad: [...prelude, ...promises.map(({ bad }) => bad)].join('\n'),
};

/** The line number of the first promise in a module. */
export const firstRow = prelude.length + 1;
