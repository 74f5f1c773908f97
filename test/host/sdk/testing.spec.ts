// The kit for plugin authors: `hexforge/plugin` to write a plugin, `hexforge/testing` to test it.
import { anyone, api, definePlugin, shape, ValidationFailed, word } from 'hexforge/plugin';
import { checkPlugin, Refused, bareHost } from 'hexforge/testing';
import t from 'tap';
import '../sample-ports.ts';

const said = shape({ word: word() });
const plugin = definePlugin({
  name: 'echo',
  version: '1.0.0',
  api: '^0.2.0',
  needs: ['Clock'],
  config: shape({ suffix: word().default('!') }),
  build: ({ config }) => ({
    say: (text: string) => {
      if (text === 'nothing') throw new ValidationFailed('Say something');
      return text + config.suffix;
    },
  }),
  routes: ({ say }) => [
    api({
      id: 'echoGet',
      summary: 'Says it back',
      method: 'GET',
      path: '/echo/{word}',
      access: anyone,
      scope: null,
      meter: 'none',
      params: said,
      result: said,
      run: (_, { params }) => ({ word: say(params.word) }),
    }),
  ],
});

void t.test('a plugin runs alone in a test host, with its configuration, over HTTP', async (t) => {
  const host = await bareHost([plugin], { config: { echo: { suffix: '?' } } });
  t.teardown(() => host.stop());
  const url = await host.listen();
  t.strictSame(await (await fetch(`${url}/api/v1/echo/hello`)).json(), { word: 'hello?' });
  t.equal((await fetch(`${url}/api/v1/echo/nothing`)).status, 400);
});

void t.test('the test host rejects what `hexforge check` rejects', async (t) => {
  await t.rejects(
    bareHost([plugin], { config: { echo: { sufix: '?' } } }),
    new Refused([
      { code: 'unknown_key', message: 'plugins.echo.sufix is no configuration key', remedy: 'Did you mean "suffix"?' },
    ]),
  );
});

void t.test('a definition is checked alone: needs that other plugins must fill are no problem', async (t) => {
  t.strictSame(checkPlugin(plugin), []);
  t.strictSame(checkPlugin({ ...plugin, needs: ['SampleGreeter'] }), []);
  t.match(checkPlugin({ ...plugin, tables: ['repositories_x'], api: '^9.0.0' }), [
    { code: 'incompatible_api' },
    { code: 'table_name' },
  ]);
});
