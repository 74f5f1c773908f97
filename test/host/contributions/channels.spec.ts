// Channels of live updates contributed by plugins: their paths, recipients and rejections.
import t from 'tap';
import { channel } from '#adapters/http/live/channel';
import { word, shape } from '#adapters/http/descriptor/shape';
import { api } from '#adapters/http/descriptor/route';
import { anyone, signedIn } from '#core/kernel/access/access';
import { accessEvents } from '#core/kernel/storage/live';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import { bareHost, checkPlugin, Refused } from '#host/sdk/testing';
import { followed, notFollowed } from '#test/support/clients/live-client';
import '../sample-ports.ts';

const base = { version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };

/** Emits the event that the other plugins follow. */
const sample = definePlugin({
  ...base,
  name: 'sample',
  needs: ['UnitOfWork', 'Events'],
  emits: ['sample.happened'],
  build: ({ UnitOfWork, Events }) => ({
    happen: (what: string) =>
      UnitOfWork.run(() => Events.emit({ type: 'sample.happened', aggregate: `bell:${what}`, payload: { what } })),
  }),
  provides: { SampleGreeter: ({ happen }) => ({ greet: () => happen('big') }) },
});

const bell = (name: string, rest: Partial<PluginDefinition> = {}): PluginDefinition => ({
  ...definePlugin({
    ...base,
    name,
    channels: () => [
      channel({
        id: 'bellLive',
        summary: 'Rings of a bell',
        path: '/bells/{name}',
        access: anyone,
        scope: null,
        params: shape({ name: word().max(5) }),
        follows: ['sample.happened'],
        follow: (_call, { params: { name: followed } }) => followed,
        message: ({ payload: { what } }) => ({ of: what, type: 'bell.rung', data: {} }),
      }),
    ],
  }),
  ...rest,
});

void t.test('followers get the events of a channel, at a path of its plugin', async (t) => {
  for (const [foreign, path] of [
    [['bell'], '/ws/x/bell/bells'],
    [[], '/ws/bells'],
  ] as const) {
    const host = await bareHost([sample, bell('bell')], { foreign });
    t.teardown(() => host.stop());
    const url = await host.listen();
    const [big, small] = [await followed(url, `${path}/big`), await followed(url, `${path}/small`)];
    await host.port('SampleGreeter').greet();
    t.match(await big.until(1), [{ type: 'bell.rung', data: {}, at: /^\d{4}-.*Z$/ }]);
    t.strictSame(small.told, []);
    t.equal((await notFollowed(url, `${path}/enormous`)).status, 400, 'parameters are validated');
    t.equal((await notFollowed(url, '/ws/x/bells/big')).status, 404);
  }
});

void t.test('the channels of a failed plugin are removed', async (t) => {
  const failing = {
    onFailure: 'isolate',
    start: async () => {
      throw new Error('no luck');
    },
  } as const;
  const host = await bareHost([sample, bell('bell', failing)]);
  t.teardown(() => host.stop());
  t.equal((await notFollowed(await host.listen(), '/ws/bells/big')).status, 404);
});

void t.test('claimed channels and unknown names are rejected', async (t) => {
  t.strictSame(checkPlugin(bell('bell')), []);
  const error = await bareHost([sample, bell('bell'), bell('tower')]).catch((thrown: unknown) => thrown);
  t.ok(error instanceof Refused);
  t.strictSame(error instanceof Refused && error.problems.map(({ code, message }) => [code, message]), [
    ['duplicate_channel_id', 'The channel id "bellLive" is claimed by "bell" and by "tower"'],
    ['duplicate_channel', 'The channel "/ws/bells/{}" is claimed by "bell" and by "tower"'],
  ]);
  const squatter = definePlugin({
    ...base,
    name: 'squatter',
    routes: () =>
      (['/ws', '/ws/bells/{name}', '/wsbells'] as const).map((path, index) =>
        api({
          id: `squat${index}`,
          summary: 'Squats',
          method: 'GET',
          mount: 'root',
          path,
          access: anyone,
          scope: null,
          result: 'empty',
          run: () => undefined,
        }),
      ),
  });
  t.match(await bareHost([squatter]).catch((thrown: unknown) => thrown), {
    problems: [
      { message: 'Plugin "squatter" wants the route GET /ws, where channels of live updates are' },
      { message: 'Plugin "squatter" wants the route GET /ws/bells/{name}, where channels of live updates are' },
    ],
  });
  const strange = definePlugin({
    ...base,
    name: 'strange',
    channels: () => [
      channel({
        id: 'strangeLive',
        summary: 'Strange things',
        path: '/strange',
        access: signedIn,
        scope: 'sample.read',
        follows: ['sample.happened'],
        follow: (call) => call.caller.id,
        message: () => undefined,
      }),
    ],
  });
  const refused = await bareHost([strange]).catch((thrown: unknown) => thrown);
  t.match(refused, {
    problems: [
      { code: 'unknown_scope', message: /^The channel "strangeLive" of plugin "strange" names the scope row/ },
      { code: 'unknown_event', message: /^The channel "strangeLive" of plugin "strange" is to events of type/ },
    ],
  });
});

void t.test('areas declare the events after which a caller may have lost access', (t) => {
  const types = accessEvents();
  for (const type of ['user.suspended', 'token.revoked', 'session.ended', 'collaborator.removed'] as const)
    t.ok(types.includes(type), type);
  t.end();
});
