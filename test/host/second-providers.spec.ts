// Who is blamed where two plugins provide one port, and where a builder reads what it was not given.
import t from 'tap';
import { check } from '#host/check';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/definition';
import type { Origin, Plan } from '#host/plan';
import { Refused } from '#host/problem';
import { bareHost } from '#host/sdk/testing';
import { greeter } from './sample-ports.ts';

const base = { version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };
const provides = { SampleGreeter: () => greeter('a') };
const owner = definePlugin({ ...base, name: 'owner', tables: ['owner_thing'], provides });
const user = definePlugin({ ...base, name: 'user', needs: ['SampleGreeter'], references: ['owner_thing'] });
const second = definePlugin({ ...base, name: 'second', provides });

const plan = (enabled: readonly PluginDefinition[], providers: Plan['providers'] = {}): Plan => ({
  enabled,
  disabled: [],
  listed: enabled.map(({ name }) => ({
    name,
    enabled: true,
    origin: (name === 'second' ? 'path /x/second.js' : 'standard') satisfies Origin,
    file: name === 'second' ? '/x/second.js' : undefined,
  })),
  providers,
  settings: {},
  configOf: () => ({}),
  mountOf: () => 'anywhere',
  isOutside: (name) => name === 'second',
});

void t.test('a second provider is one problem, of the plugin from outside, and nobody else is blamed', async (t) => {
  t.strictSame(check(plan([owner, user, second])), [
    {
      code: 'two_providers',
      plugin: 'second',
      message: 'The port SampleGreeter has 2 providers: "owner", "second"',
      remedy: 'Choose one with providers.SampleGreeter in the configuration, or disable the others',
    },
  ]);
  t.strictSame(check(plan([owner, user, second], { SampleGreeter: 'owner' })), []);
});

void t.test('one that is chosen and whose tables are not those that others refer to is named itself', async (t) => {
  t.strictSame(check(plan([owner, user, second], { SampleGreeter: 'second' })), [
    {
      code: 'reference',
      plugin: 'second',
      message:
        'Plugin "second" cannot provide SampleGreeter in place of "owner": tables of "user" refer to "owner_thing", which is a table of "owner"',
      remedy: 'Choose "owner" with providers.SampleGreeter, or disable the other with HEXFORGE_PLUGINS=-second',
    },
  ]);
});

void t.test('a builder that reads what it does not declare is told its plugin, the need and the remedy', async (t) => {
  const building = async (build: (context: object) => void, late: readonly 'SampleVoices'[] = []): Promise<unknown> => {
    try {
      const host = await bareHost([definePlugin({ ...base, name: 'a', late, build })]);
      await host.stop();
      return undefined;
    } catch (error) {
      return error instanceof Refused ? error.problems : error;
    }
  };
  const reading = (name: string, late: readonly 'SampleVoices'[] = []): Promise<unknown> =>
    building((context) => void Reflect.get(context, name), late);
  const readingLate = (name: string): Promise<unknown> =>
    building((context) => void Reflect.get(Object(Reflect.get(context, 'late')) as object, name));
  const problem = (name: string, remedy: string): object => ({
    code: 'undeclared_need',
    plugin: 'a',
    message: `Plugin "a" reads "${name}" of its context, which it does not declare`,
    remedy,
  });
  t.strictSame(await reading('SampleGreeter'), [
    problem('SampleGreeter', "Add 'SampleGreeter' to the `needs` of its definition"),
  ]);
  t.strictSame(await reading('SampleGreter'), [problem('SampleGreter', 'Did you mean "SampleGreeter"?')]);
  t.strictSame(await reading('confg'), [problem('confg', 'Did you mean "config"?')]);
  t.strictSame(await reading('entirelyElse'), [
    problem('entirelyElse', 'No port has this name: correct it in its builders'),
  ]);
  t.strictSame(await reading('SampleVoices', ['SampleVoices']), [
    problem('SampleVoices', 'It is a late need: read `late.SampleVoices` once everything has started'),
  ]);
  t.strictSame(await readingLate('SampleVoices'), [
    problem('late.SampleVoices', "Add 'SampleVoices' to the `late` of its definition"),
  ]);
  t.strictSame(await readingLate('SampleVoces'), [problem('late.SampleVoces', 'Did you mean "SampleVoices"?')]);
  t.equal(await reading('then'), undefined, 'a context passes through promises');
});
