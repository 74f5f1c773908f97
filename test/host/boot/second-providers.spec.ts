// Which plugin is blamed when two plugins provide one port, and when a builder reads something undeclared.
import t from 'tap';
import { check } from '#host/check/check';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import type { Origin, Plan } from '#host/plugin/plan';
import { greeter } from '../sample-ports.ts';

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

void t.test('a second provider is one problem, of the external plugin, and no other plugin is blamed', async (t) => {
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

void t.test('a chosen provider without the tables that others reference is named itself', async (t) => {
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
