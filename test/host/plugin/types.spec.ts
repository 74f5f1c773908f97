// Compile errors: each line below `@ts-expect-error` is a mistake that the types must catch. The type check is the
// test.
import Joi from 'joi';
import t from 'tap';
import { api, object } from '#adapters/http/descriptor/route';
import { count, list, shape, text } from '#adapters/http/descriptor/shape';
import { anyone } from '#core/kernel/access/access';
import { on } from '#core/kernel/storage/events';
import { declarePort } from '#core/kernel/ports';
import { definePlugin } from '#host/plugin/definition';
import { greeter } from '../sample-ports.ts';

const base = { name: 'a', version: '1.0.0', api: '*' };
const route = {
  id: 'x',
  summary: 'A sample',
  method: 'GET',
  path: '/x',
  scope: null,
  meter: 'none',
  result: 'empty',
  run: () => undefined,
} as const;

/** Never called: only its types are checked. */
export function mistakes(): unknown {
  return [
    // @ts-expect-error an unknown port
    definePlugin({ ...base, needs: ['NoSuchPort'] }),
    // @ts-expect-error a need that was not declared
    definePlugin({ ...base, needs: ['Clock'], build: ({ Ids }) => Ids }),
    // @ts-expect-error an optional port that is not guarded
    definePlugin({ ...base, needs: ['SampleExtra'], build: async ({ SampleExtra }) => SampleExtra.greet() }),
    // @ts-expect-error a plural port is a list
    definePlugin({ ...base, needs: ['SampleVoices'], build: async ({ SampleVoices }) => SampleVoices.greet() }),
    // @ts-expect-error a provider of another shape
    definePlugin({ ...base, provides: { SampleGreeter: () => ({ greet: () => 1 }) } }),
    // @ts-expect-error a provider of a port that does not exist
    definePlugin({ ...base, provides: { NoSuchPort: () => greeter('a') } }),
    // @ts-expect-error a single port cannot be late
    definePlugin({ ...base, late: ['Clock'] }),
    // @ts-expect-error a late need is not among the needs
    definePlugin({ ...base, late: ['SampleVoices'], build: ({ SampleVoices }) => SampleVoices }),
    definePlugin({
      ...base,
      config: object<{ size: number }>({ size: Joi.number() }),
      // @ts-expect-error configuration of another shape
      build: ({ config }) => config.sise,
    }),
    // @ts-expect-error parts of another shape
    definePlugin({ ...base, build: () => ({ one: 1 }), start: async ({ two }) => two }),
    // @ts-expect-error an unknown event
    on('sample.unheard', { name: 'listen', delivery: 'durable', handle: async () => undefined }),
    on('sample.happened', {
      name: 'listen',
      delivery: 'durable',
      handle: async ({ payload }) => {
        // @ts-expect-error a payload of another shape
        void payload.where;
      },
    }),
    // @ts-expect-error an unknown setting
    definePlugin({ ...base, settings: [{ key: 'sample.unknown', description: '', type: 'boolean', default: true }] }),
    definePlugin({
      ...base,
      // @ts-expect-error an unknown setting of repositories
      repositorySettings: [{ key: 'sample.unknown', description: '', type: 'boolean', default: true }],
    }),
    definePlugin({
      ...base,
      // @ts-expect-error a setting of repositories of another type
      repositorySettings: [{ key: 'sample.times', description: '', type: 'boolean', default: true }],
    }),
    definePlugin({
      ...base,
      // @ts-expect-error a sensitive setting of repositories
      repositorySettings: [{ key: 'sample.loud', description: '', type: 'boolean', default: true, sensitive: true }],
    }),
    definePlugin({
      ...base,
      needs: ['RepositorySettings'],
      build: async ({ RepositorySettings }) => {
        // @ts-expect-error a setting of the instance
        await RepositorySettings.get('x', 'sample.enabled');
        // @ts-expect-error a value of another type
        (await RepositorySettings.get('x', 'sample.times')).trim();
      },
    }),
    // @ts-expect-error a route without access
    api(route),
    // @ts-expect-error a route with an unknown scope row
    api({ ...route, access: anyone, scope: 'sample.unknown' }),
    // @ts-expect-error a route that requires a port which is not optional
    api({ ...route, access: anyone, requires: ['SampleGreeter'] }),
    // @ts-expect-error a text where the result is an object
    api({ ...route, access: anyone, result: shape({ size: count() }), run: () => 'three' }),
    // @ts-expect-error a text where the result is an object with a member named `value`
    api({ ...route, access: anyone, result: shape({ value: text() }), run: () => 'three' }),
    // @ts-expect-error a text where the result is a list of such
    api({ ...route, access: anyone, result: list(shape({ value: text() })), run: () => ['three'] }),
    // @ts-expect-error a body schema that misses a member
    object<{ one: number; two: string }>({ one: Joi.number() }),
    // @ts-expect-error a port declared with another arity than its interface
    declarePort('SampleGreeter', { arity: 'plural', component: '', critical: false, absent: 'refuse' }),
  ];
}

void t.test('the same lines without their mistakes compile', async (t) => {
  const good = [
    definePlugin({
      ...base,
      needs: ['Clock', 'SampleExtra'],
      late: ['SampleVoices'],
      build: ({ Clock, SampleExtra, late }) => ({
        Clock,
        extra: SampleExtra?.greet,
        voices: () => late.SampleVoices.length,
      }),
    }),
    definePlugin({ ...base, provides: { SampleGreeter: () => greeter('a'), SampleVoices: () => greeter('b') } }),
    definePlugin({
      ...base,
      config: object<{ size: number }>({ size: Joi.number() }),
      build: ({ config }) => config.size,
      start: async (size) => {
        size.toFixed();
      },
    }),
    on('sample.happened', {
      name: 'listen',
      delivery: 'durable',
      handle: async ({ payload }) => {
        payload.what.trim();
      },
    }),
    definePlugin({
      ...base,
      needs: ['RepositorySettings'],
      repositorySettings: [
        { key: 'sample.loud', description: '', type: 'boolean', default: true },
        { key: 'sample.times', description: '', type: 'integer', default: 1, min: 1, max: 3 },
      ],
      build: async ({ RepositorySettings }) => {
        (await RepositorySettings.get('x', 'sample.times')).toFixed();
        (await RepositorySettings.getMany(['x'], 'sample.times')).get('x')?.toFixed();
      },
    }),
    api({ ...route, access: anyone, scope: 'sample.read', requires: ['SampleExtra'] }),
    api({ ...route, access: anyone, result: shape({ size: count() }), run: () => ({ size: 3 }) }),
    api({ ...route, access: anyone, result: shape({ value: text() }), run: () => ({ value: 'three' }) }),
    api({ ...route, access: anyone, result: list(shape({ value: text() })), run: () => [{ value: 'three' }] }),
  ];
  t.equal(good.length, 9);
});
