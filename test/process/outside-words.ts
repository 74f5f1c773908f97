// What plugin authors outside may write: words of their own, and mistakes that the types of the package must catch.

/** A module that names what areas declare, and imports none of them: `hexforge/plugin` knows the names. */
export const kitAlone = `
import { changes, definePlugin, on, reads, type Granted, type Resources } from 'hexforge/plugin';

export const rules = [reads('repository', 'repo.read'), changes('repository', 'repo.write')];
export const nameOf = ({ resource }: Granted<Resources['repository'], 'repo.read'>): string => resource.name;
export default definePlugin({
  name: 'kit-alone',
  version: '1.0.0',
  api: '^0.1.0',
  needs: ['Users', 'GitBackend', 'Pushes', 'AuditLog'],
  build: ({ Users, GitBackend }) => [Users.byIds([]), GitBackend.refs('', 'branches')],
  events: () => [on('push', { name: 'hear', delivery: 'durable', handle: async ({ payload }) => void payload })],
});
`;

/** A module that adds a port of each kind, an event, a setting, a scope, a permission and a kind of resource. */
export const ownWords = `
import {
  api, changes, declarePort, definePlugin, on, reads, shape, text, word, type Granted, type PortValue,
} from 'hexforge/plugin';
import type { Users } from 'hexforge/identity';
import type { GitBackend, Repository } from 'hexforge/repositories';

export interface Bell { ring(): Promise<string> }
export interface Tower { readonly height: number }

declare module 'hexforge/plugin' {
  interface Ports { Bell: Bell }
  interface OptionalPorts { LoudBell: Bell }
  interface PluralPorts { Chimes: Bell }
  interface EventPayloads { 'bell.rung': { readonly times: number } }
  interface SettingValues { 'bell.loud': boolean }
  interface Scopes { 'bell.ring': true }
  interface Permissions { 'bell.ring': 'repository'; 'tower.climb': 'tower' }
  interface Resources { tower: Tower }
}

declarePort('Bell', { arity: 'single', component: 'bell', critical: false, absent: 'refuse' });
declarePort('LoudBell', { arity: 'optional', component: 'loud bell', critical: false, absent: 'degraded' });
declarePort('Chimes', { arity: 'plural', component: 'chimes', critical: false, absent: 'degraded' });

export const faces = (git: PortValue<'GitBackend'>, users: PortValue<'Users'>): [GitBackend, Users] => [git, users];

const rung = shape({ text: text() }).id('Rung');
const params = shape({ owner: word(), repo: word() });

export default definePlugin({
  name: 'bell',
  version: '1.0.0',
  api: '^0.1.0',
  needs: ['Bell', 'LoudBell', 'Chimes', 'Settings'],
  settings: [{ key: 'bell.loud', type: 'boolean', default: true, description: 'Whether the bell is loud' }],
  scopes: [{ name: 'bell.ring', pat: 'bell:ring' }],
  permissions: [{ name: 'bell.ring', from: 'write' }],
  build: ({ Bell, LoudBell, Chimes, Settings }) => ({
    async ring({ resource, call }: Granted<Repository, 'bell.ring'>): Promise<{ readonly text: string }> {
      const loud: boolean = await Settings.get('bell.loud');
      await Promise.all(Chimes.map((chime) => chime.ring()));
      const sound = loud ? await LoudBell?.ring() : await Bell.ring();
      return { text: [sound, resource.name, call.requestId].join() };
    },
  }),
  provides: { Chimes: () => ({ ring: async () => 'ding' }) },
  events: () => [
    on('bell.rung', { name: 'count', delivery: 'durable', handle: async ({ payload }) => void payload.times.toFixed() }),
  ],
  routes: ({ ring }) => [
    api({
      id: 'bellRing', summary: 'Rings', method: 'POST', path: '/{owner}/{repo}',
      access: changes('repository', 'bell.ring'), scope: 'bell.ring', meter: 'api.write', params, result: rung,
      run: (call, { granted }) => (call.caller.username === '' ? { text: '' } : ring(granted)),
    }),
    api({
      id: 'towerRead', summary: 'How high', method: 'GET', path: '/towers/{tower}',
      access: reads('tower', 'tower.climb'), scope: null, meter: 'api.read',
      params: shape({ tower: word() }), result: rung,
      run: (_call, { granted }) => ({ text: granted.resource.height.toFixed() }),
    }),
  ],
});
`;

const prelude = [
  "import { api, changes, declarePort, definePlugin, on, reads, shape, count, text, word } from 'hexforge/plugin';",
  "import './own-words.ts';",
  "const base = { name: 'a', version: '1.0.0', api: '*' };",
  "const about = { id: 'x', summary: 'x', method: 'GET', path: '/{owner}/{repo}', meter: 'none' } as const;",
  "const open = { ...about, access: reads('repository', 'repo.read'), scope: 'repo.read' } as const;",
  'const named = shape({ name: text(), size: count() });',
  "const durable = { name: 'a', delivery: 'durable' } as const;",
];

/** Each line by itself, and what the compiler says of it. */
const mistakes: readonly (readonly [line: string, says: RegExp])[] = [
  [
    "api({ ...open, result: 'empty', run: (_, { granted }) => void granted.resource.title });",
    /TS2339: Property 'title' does not exist on type 'Repository'/,
  ],
  [
    'api({ ...open, result: named, run: () => ({ name: word.name }) });',
    /TS2322: .*\n {2}Property 'size' is missing in type '\{ name: string; \}' but required in type '\{ readonly name: string; readonly size: number; \}'\.$/,
  ],
  [
    "api({ ...open, result: named, run: async () => ({ name: 'a', size: 'b' }) });",
    /TS2322: [\s\S]*Type 'string' is not assignable to type 'number'/,
  ],
  ["api({ ...about, scope: null, result: 'empty', run: () => undefined });", /TS2741: Property 'access' is missing/],
  [
    "api({ ...open, scope: 'bell.wring', result: 'empty', run: () => undefined });",
    /TS2820: Type '"bell\.wring"' is not assignable to type 'ScopeName \| null'/,
  ],
  ["reads('repository', 'repo.reed');", /TS2345: Argument of type '"repo\.reed"'/],
  ["changes('repository', 'tower.climb');", /TS2345: Argument of type '"tower\.climb"'/],
  ["reads('steeple', 'tower.climb');", /TS2345: Argument of type '"steeple"' .* 'ResourceKind'/],
  ["definePlugin({ ...base, needs: ['Bells'] });", /TS2820: Type '"Bells"' is not assignable to type 'PortName'/],
  ["definePlugin({ ...base, needs: ['Clock'], build: ({ Bell }) => Bell });", /TS2339: Property 'Bell' does not exist/],
  [
    "definePlugin({ ...base, needs: ['LoudBell'], build: async ({ LoudBell }) => LoudBell.ring() });",
    /TS18048: 'LoudBell' is possibly 'undefined'/,
  ],
  [
    "definePlugin({ ...base, needs: ['GitBackend'], build: async ({ GitBackend }) => GitBackend.refs('a', 'heads') });",
    /TS2345: Argument of type '"heads"'/,
  ],
  [
    'definePlugin({ ...base, provides: { Bell: () => ({ ring: () => 1 }) } });',
    /TS2322: [\s\S]*Type 'number' is not assignable to type 'Promise<string>'/,
  ],
  [
    "definePlugin({ ...base, settings: [{ key: 'bell.lout', type: 'boolean', default: true, description: '' }] });",
    /TS2820: Type '"bell\.lout"'/,
  ],
  ["definePlugin({ ...base, scopes: [{ name: 'bell.wring' }] });", /TS2820: Type '"bell\.wring"'/],
  ["on('bell.wrung', { ...durable, handle: async () => undefined });", /TS2345: Argument of type '"bell\.wrung"'/],
  [
    "on('bell.rung', { ...durable, handle: async ({ payload }) => void payload.time });",
    /TS2551: Property 'time' does not exist/,
  ],
  [
    "declarePort('Bell', { arity: 'plural', component: '', critical: false, absent: 'refuse' });",
    /TS2322: Type '"plural"' is not assignable to type '"single"'/,
  ],
  ["export * from 'hexforge/core/kernel/errors.js';", /TS2307: Cannot find module/],
  ["export * from '#core/repositories/use-cases';", /TS2307: Cannot find module/],
];

export const mistaken = {
  text: [...prelude, ...mistakes.map(([line]) => line)].join('\n'),
  /** Line in the text → what is said of it. */
  says: new Map(mistakes.map(([, says], index) => [prelude.length + index + 1, says])),
};
