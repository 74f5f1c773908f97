// Every rejection has a remedy that the operator can follow: a key that exists, a plugin that can be enabled.
import Joi from 'joi';
import t from 'tap';
import { check } from '#host/check/check';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import type { Plan } from '#host/plugin/plan';
import { on } from '#core/kernel/storage/events';
import { greeter } from '../sample-ports.ts';

const base = { version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };

const plan = (enabled: readonly PluginDefinition[], rest: Partial<Plan> = {}): Plan => ({
  enabled,
  disabled: [],
  providers: {},
  settings: {},
  configOf: () => ({}),
  mountOf: () => 'anywhere',
  isOutside: () => false,
  ...rest,
});

const told = (given: Plan): readonly string[] =>
  check(given).map(({ code, message, remedy }) => `${code}: ${message}. ${remedy}`);

const config = Joi.object({
  url: Joi.string().uri().required(),
  size: Joi.number().default(3),
  note: Joi.string(),
  inner: Joi.object({ name: Joi.string().required() }),
  a: Joi.string(),
  b: Joi.string(),
})
  .or('a', 'b')
  .nand('note', 'b');
const bell = definePlugin({
  ...base,
  name: 'bell',
  config,
  environment: { BELL_URL: 'url', BELL_ADDRESS: 'url', BELL_SIZE: 'size', BELL_TOWER: 'tower' },
});
const bellWith = (values: Readonly<Record<string, unknown>>, variables: Readonly<Record<string, string>> = {}) =>
  told(plan([bell], { configOf: () => values, setBy: (_, key) => variables[key] }));

void t.test('a missing required key is to be set where it can be set', async (t) => {
  t.strictSame(bellWith({ a: 'x' }), [
    'bad_configuration: plugins.bell.url is required. Set plugins.bell.url in the configuration file, set the variable BELL_URL, set the variable BELL_ADDRESS, or disable the plugin with HEXFORGE_PLUGINS=-bell',
  ]);
  t.strictSame(
    bellWith({ a: 'x', url: 'http://a', inner: {} }),
    [
      'bad_configuration: plugins.bell.inner.name is required. Set plugins.bell.inner.name in the configuration file, or disable the plugin with HEXFORGE_PLUGINS=-bell',
    ],
    'no variable sets an inner key',
  );
});

void t.test('the line of a wrong value is removed only if the key may be absent', async (t) => {
  const good = { a: 'x', url: 'http://a' };
  t.strictSame(bellWith({ ...good, url: 'here' }), [
    'bad_configuration: plugins.bell.url must be a valid uri. Correct the value',
  ]);
  t.strictSame(bellWith({ ...good, size: 'many' }), [
    'bad_configuration: plugins.bell.size must be a number. Correct the value, or remove the line for the default',
  ]);
  t.strictSame(bellWith({ ...good, note: 3 }), [
    'bad_configuration: plugins.bell.note must be a string. Correct the value, or remove the line',
  ]);
});

void t.test('a value from the environment has no line to remove', async (t) => {
  const good = { a: 'x', url: 'http://a' };
  t.strictSame(bellWith({ ...good, size: 'many' }, { size: 'BELL_SIZE' }), [
    'bad_configuration: plugins.bell.size must be a number. Correct or unset BELL_SIZE',
  ]);
  t.strictSame(bellWith({ ...good, tower: 'high' }, { tower: 'BELL_TOWER' }), [
    'unknown_key: plugins.bell.tower is no configuration key. Correct or unset BELL_TOWER',
  ]);
});

void t.test('the remedy for a rule about several keys is to set or to remove some of them', async (t) => {
  t.strictSame(bellWith({ url: 'http://a' }), [
    'bad_configuration: plugins.bell must contain at least one of [a, b]. Set one of them',
  ]);
  t.match(bellWith({ url: 'http://a', note: 'x', b: 'y' }), [/ Remove one of them$/]);
});

const emitter = definePlugin({ ...base, name: 'tower', emits: ['sample.happened'] });
const hearing = (optional?: true) =>
  definePlugin({
    ...base,
    name: 'bell',
    events: () => [
      on('sample.happened', {
        name: 'hear',
        delivery: 'durable',
        handle: async () => undefined,
        ...(optional && { optional }),
      }),
    ],
  });

void t.test('a subscription to events of a disabled plugin is rejected, and an optional one is not', async (t) => {
  t.strictSame(told(plan([emitter, hearing()])), []);
  t.strictSame(told(plan([hearing()], { disabled: [emitter] })), [
    'unknown_event: The subscription "hear" of plugin "bell" is to events of type "sample.happened", which no enabled plugin emits. Enable "tower" with HEXFORGE_PLUGINS=+tower, disable the plugin with HEXFORGE_PLUGINS=-bell, or mark it `optional: true`',
  ]);
  t.strictSame(told(plan([hearing(true)], { disabled: [emitter] })), []);
});

void t.test('an external plugin that is disabled owns the events that begin with its name', async (t) => {
  const listed = [{ name: 'sample', enabled: false, origin: 'package sample', file: undefined }] as const;
  t.match(told(plan([hearing()], { listed, isOutside: (name) => name === 'sample' })), [
    /no enabled plugin emits\. Enable "sample" with HEXFORGE_PLUGINS=\+sample/,
  ]);
});

void t.test('if a required port has no provider, the events of its provider are not reported too', async (t) => {
  const owner = { ...emitter, provides: { SampleGreeter: () => greeter('tower') } } as unknown as PluginDefinition;
  const both = { ...hearing(), needs: ['SampleGreeter'] } as unknown as PluginDefinition;
  t.match(told(plan([both], { disabled: [owner] })), [/^missing_port: /]);
});

void t.test('a setting of a disabled plugin cannot be read', async (t) => {
  const owner = definePlugin({
    ...base,
    name: 'tower',
    settings: [{ key: 'sample.enabled', type: 'boolean', default: true, description: 'A sample' }],
  });
  const reader = definePlugin({ ...base, name: 'bell', reads: ['sample.enabled'] });
  t.strictSame(told(plan([owner, reader])), []);
  t.strictSame(told(plan([reader], { disabled: [owner] })), [
    'unknown_read: Plugin "bell" says it reads the setting "sample.enabled", which no enabled plugin declares. Enable "tower" with HEXFORGE_PLUGINS=+tower, or disable the plugin with HEXFORGE_PLUGINS=-bell',
  ]);
});

void t.test('audit actions of an external plugin begin with its name', async (t) => {
  const named = (...audits: readonly string[]) => ({ ...base, name: 'bell', audits }) as unknown as PluginDefinition;
  t.strictSame(told(plan([named('bell.sold')], { isOutside: () => true })), []);
  t.strictSame(told(plan([named('user.deleted')])), [], 'standard plugins name them by area');
  t.strictSame(told(plan([named('user.deleted')], { isOutside: () => true })), [
    'audit_name: Plugin "bell" says it appends audit entries "user.deleted", which does not start with the plugin\'s name. Name it "bell.deleted"',
  ]);
});

void t.test('the plugin that contributes a scope or provides a chosen port is named if it is disabled', async (t) => {
  const owner = {
    ...base,
    name: 'tower',
    scopes: [{ name: 'sample.read' }],
    provides: { SampleGreeter: () => greeter('tower') },
  } as unknown as PluginDefinition;
  const naming = { ...base, name: 'bell', scopes: [{ name: 'bell.ring', includes: ['sample.read'] }] };
  t.match(told(plan([naming as unknown as PluginDefinition], { disabled: [owner] })), [
    /^unknown_scope: .* Enable "tower" with HEXFORGE_PLUGINS=\+tower$/,
  ]);
  t.strictSame(told(plan([], { disabled: [owner], providers: { SampleGreeter: 'towr' } })), [
    'bad_choice: providers.SampleGreeter is "towr", but no enabled plugin of that name provides the port. Enable "tower" with HEXFORGE_PLUGINS=+tower, or remove the line',
  ]);
});

void t.test('a misspelt port is reported with the nearest name', async (t) => {
  const misspelt = { ...base, name: 'bell', needs: ['SampleGreter'] } as unknown as PluginDefinition;
  t.match(told(plan([misspelt])), [/^undeclared_port: .* Did you mean "SampleGreeter"\?$/]);
});

void t.test('a reference names the port whose need makes it valid', async (t) => {
  const owner = definePlugin({
    ...base,
    name: 'tower',
    tables: ['tower_thing'],
    provides: { SampleGreeter: () => greeter('tower') },
  });
  const pointing = definePlugin({ ...base, name: 'bell', references: ['tower_thing'] });
  t.match(told(plan([owner, pointing])), [
    /^reference: .* Add "SampleGreeter" to its `needs`, or keep a plain id and clean it by event$/,
  ]);
});

void t.test('settings of repositories follow the same rules, and cannot be sensitive', async (t) => {
  const said = (over: object) =>
    check(
      plan(
        [
          {
            ...base,
            name: 'a',
            repositorySettings: [
              { key: 'a.size', description: 'A sample', type: 'integer', default: 3, min: 1, max: 9, ...over },
            ],
          } as unknown as PluginDefinition,
        ],
        { isOutside: () => true },
      ),
    ).map(({ code, message, remedy }) => [code, message, remedy]);
  t.strictSame(said({}), []);
  t.match(said({ key: 'b.size' }), [['setting_name', /does not start with the plugin's name/, 'Name it "a.size"']]);
  t.match(said({ key: 'size' }), [['setting_name', /is not named with words/]]);
  t.match(said({ default: 10 }), [['setting_declaration', /must be a whole number from 1 to 9/]]);
  t.match(said({ default: 'three' }), [['bad_member', /"repositorySettings\[0\].default"/]]);
  t.strictSame(said({ sensitive: false }), []);
  t.strictSame(said({ sensitive: true }), [
    [
      'sensitive_repository_setting',
      'The setting "a.size" of plugin "a" is sensitive, which a setting of repositories cannot be',
      'Remove `sensitive`, and store secrets in a table of the plugin, sealed with the port `Sealer`',
    ],
  ]);
});
