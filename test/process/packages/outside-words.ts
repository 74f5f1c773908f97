// Modules of external plugin authors: one that imports only `hexforge/plugin`, and one that declares its own names.

/** A module that uses names declared by areas without importing them: `hexforge/plugin` declares the names. */
export const kitAlone = `
import { changes, definePlugin, on, reads, type Granted, type Resources } from 'hexforge/plugin';

export const rules = [reads('repository', 'repo.read'), changes('repository', 'repo.write')];
export const nameOf = ({ resource }: Granted<Resources['repository'], 'repo.read'>): string => resource.name;
export default definePlugin({
  name: 'kit-alone',
  version: '1.0.0',
  api: '^0.2.0',
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
  interface SettingValues { 'bell.loud': boolean; 'bell.times': number }
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
  api: '^0.2.0',
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
