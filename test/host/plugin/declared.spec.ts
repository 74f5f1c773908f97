// Use of undeclared things by a plugin in plain JavaScript is rejected at run time, with a sentence and a remedy.
import t, { type Test } from 'tap';
import { flag, shape } from '#adapters/http/descriptor/shape';
import { on } from '#core/kernel/storage/events';
import { HexforgeError } from '#core/kernel/errors';
import { PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import { Refused, bareHost } from '#host/sdk/testing';
import { sentence } from '#host/problems/problem';
import { greeter } from '../sample-ports.ts';

const base = { name: 'bell', version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };
type Context = Readonly<Record<string, Record<string, (...given: unknown[]) => unknown>>>;

const plain = (definition: object): PluginDefinition => ({ ...base, ...definition }) as unknown as PluginDefinition;

async function started(t: { teardown(end: () => Promise<void>): void }, ...definitions: readonly object[]) {
  const host = await bareHost(definitions.map(plain));
  t.teardown(() => host.stop());
  return host;
}

/** The problems that reject the start. */
async function refused(...definitions: readonly object[]): Promise<readonly string[]> {
  try {
    await (await bareHost(definitions.map(plain))).stop();
  } catch (error) {
    if (error instanceof Refused) return error.problems.map(sentence);
    throw error;
  }
  return [];
}

/** A rejection and its remedy. */
async function told(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof HexforgeError) return sentence({ message: error.message, remedy: error.detail ?? '' });
    throw error;
  }
  return 'it was not refused';
}

/** Returns a function that emits an event of a plugin that declares `bell.rung`. */
async function emitting(t: Test): Promise<(event: Readonly<Record<string, unknown>>) => () => unknown> {
  let context: Context = {};
  await started(t, {
    needs: ['Events', 'UnitOfWork'],
    emits: ['bell.rung'],
    build: (given: Context) => {
      context = given;
    },
  });
  return (event) => () =>
    context['UnitOfWork']?.['run']?.(() =>
      context['Events']?.['emit']?.({ type: 'bell.rung', aggregate: 'bell:1', payload: {}, ...event }),
    );
}

void t.test('an event that is not in `emits` is rejected, and nothing is recorded', async (t) => {
  const emit = await emitting(t);
  t.equal(await told(emit({ type: 'bell.rung' })), 'it was not refused');
  t.equal(
    await told(emit({ type: 'bell.wrung' })),
    'Plugin "bell" emits "bell.wrung", which is not in its `emits`. Did you mean "bell.rung"? If not, add it to `emits` of its definition.',
  );
  t.equal(
    await told(emit({ type: 'repository.deleted' })),
    'Plugin "bell" emits "repository.deleted", which is not in its `emits`. Add it to `emits` of its definition.',
  );
});

void t.test('an event with an aggregate that cannot be a key is rejected', async (t) => {
  const emit = await emitting(t);
  t.equal(await told(emit({ aggregate: 'x'.repeat(500) })), 'it was not refused');
  for (const aggregate of [undefined, 1, '', 'a\0b', 'x'.repeat(501)])
    t.equal(
      await told(emit({ aggregate })),
      'Plugin "bell" emits "bell.rung" with an `aggregate` that names nothing. Say what it happened to in 1 to 500 characters, such as "bell:1".',
    );
});

void t.test('late needs are checked in the same way', async (t) => {
  let context: Context = {};
  await started(t, {
    needs: ['UnitOfWork'],
    late: ['Events', 'Settings'],
    build: (given: Context) => {
      context = given;
    },
  });
  const late = context['late'] as unknown as Context;
  const emit = () => late['Events']?.['emit']?.({ type: 'bell.rung', aggregate: 'bell:1', payload: {} });
  t.match(
    await told(() => context['UnitOfWork']?.['run']?.(emit)),
    /^Plugin "bell" emits "bell.rung", which is not in/,
  );
  t.match(await told(() => late['Settings']?.['get']?.('signup.enabled')), /^Plugin "bell" reads the setting "signup/);
});

void t.test(
  'a payload that is not a JSON object is rejected, and a valid one reaches handlers as plain JSON',
  async (t) => {
    let context: Context = {};
    const seen: unknown[] = [];
    const host = await bareHost([
      plain({
        needs: ['Events', 'UnitOfWork'],
        emits: ['bell.rung'],
        build: (given: Context) => {
          context = given;
        },
        events: () => [
          on('bell.rung' as never, {
            name: 'hear',
            delivery: 'durable',
            handle: async ({ payload }) => void seen.push(payload),
          }),
        ],
      }),
    ]);
    t.teardown(() => host.stop());
    const emit = (payload: unknown) =>
      told(() =>
        context['UnitOfWork']?.['run']?.(() =>
          context['Events']?.['emit']?.({ type: 'bell.rung', aggregate: 'bell:1', payload }),
        ),
      );
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const remedy = 'Let it be an object of texts, numbers, true and false, null, lists and objects of such.';
    for (const [payload, why] of [
      [undefined, 'no object'],
      [5, 'no object'],
      [[1], 'no object'],
      [() => 1, 'no object'],
      [{ a: 1n }, 'no JSON: Do not know how to serialize a BigInt'],
      [circle, 'no JSON: Converting circular structure to JSON'],
    ] as const)
      t.equal(await emit(payload), `Plugin "bell" emits "bell.rung" with a payload that is ${why}. ${remedy}`);
    t.equal(
      await emit({ a: 'x'.repeat(1024 ** 2) }),
      'Plugin "bell" emits "bell.rung" with a payload of more than 1048576 bytes. Put ids into it, and let handlers read the rest.',
    );
    t.equal(await emit({ at: new Date(0), none: undefined, times: 3 }), 'it was not refused');
    await host.drained();
    t.strictSame(seen, [{ at: '1970-01-01T00:00:00.000Z', times: 3 }]);
  },
);

void t.test('a setting that is neither its own nor in `reads` is rejected', async (t) => {
  let context: Context = {};
  const setting = (key: string) => ({ key, description: 'A sample', type: 'boolean', default: true });
  await started(
    t,
    { name: 'other', settings: [setting('sample.enabled'), setting('sample.size')] },
    {
      needs: ['Settings'],
      settings: [setting('sample.name')],
      reads: ['sample.enabled'],
      build: (given: Context) => {
        context = given;
      },
    },
  );
  const get = (key: string) => () => context['Settings']?.['get']?.(key);
  t.equal(await told(get('sample.enabled')), 'it was not refused');
  t.equal(await told(get('sample.name')), 'it was not refused');
  t.equal(
    await told(get('sample.size')),
    'Plugin "bell" reads the setting "sample.size", which is neither in its `settings` nor in its `reads`. Did you mean "sample.name"? If not, add it to `reads` of its definition.',
  );
});

void t.test('a setting of repositories that is not its own is rejected', async (t) => {
  let context: Context = {};
  const asked: unknown[] = [];
  const answer = (...given: readonly unknown[]) => void asked.push(given);
  const setting = (key: string) => ({ key, description: 'A sample', type: 'boolean', default: true });
  await started(
    t,
    {
      name: 'other',
      repositorySettings: [setting('other.loud')],
      provides: { RepositorySettings: () => ({ get: answer, getMany: answer }) },
    },
    {
      needs: ['RepositorySettings'],
      repositorySettings: [setting('bell.loud')],
      build: (given: Context) => {
        context = given;
      },
    },
  );
  for (const read of ['get', 'getMany'] as const) {
    t.equal(await told(() => context['RepositorySettings']?.[read]?.('r', 'bell.loud')), 'it was not refused');
    t.equal(
      await told(() => context['RepositorySettings']?.[read]?.('r', 'other.loud')),
      'Plugin "bell" reads the setting "other.loud" of a repository, which is not in its `repositorySettings`. Add it to `repositorySettings` of its definition.',
    );
  }
  t.strictSame(asked, [
    ['r', 'bell.loud'],
    ['r', 'bell.loud'],
  ]);
});

void t.test('an undeclared port is rejected by name, wherever it is read', async (t) => {
  const voices = { needs: ['SampleExtra'], late: ['SampleVoices'] };
  const uses = (build: (context: never) => unknown) => refused({ ...voices, build });
  const prefix = 'Plugin "bell" did not build: Plugin "bell"';
  t.strictSame(await uses(({ Belfry }: { Belfry: unknown }) => Belfry), [
    `${prefix} asks its context for "Belfry", which nothing provides by that name. Correct the name.`,
  ]);
  t.strictSame(await uses(({ Clock }: { Clock: unknown }) => Clock), [
    `${prefix} uses the port Clock, which is not in its \`needs\`. Add it to \`needs\` of its definition.`,
  ]);
  t.strictSame(await uses(({ SampleExtr }: { SampleExtr: unknown }) => SampleExtr), [
    `${prefix} asks its context for "SampleExtr", which nothing provides by that name. Did you mean "SampleExtra"?`,
  ]);
  t.strictSame(await uses(({ SampleVoices }: { SampleVoices: unknown }) => SampleVoices), [
    `${prefix} uses the port SampleVoices, which is not in its \`needs\`. Read it from \`late\` of the context: it is a late need.`,
  ]);
  t.strictSame(await uses(({ late }: { late: { SampleHidden: unknown } }) => late.SampleHidden), [
    `${prefix} uses the port SampleHidden, which is not in its \`late\`. Add it to \`late\` of its definition.`,
  ]);
  t.strictSame(
    await uses(async (context: Context) => ({ ...context, late: 0 })),
    [],
    'the whole context may be passed on',
  );
  t.strictSame(await uses((context: Context) => Promise.resolve(context).then(() => undefined)), []);
});

void t.test('an in-memory table that is not in `tables` is rejected', async () => {
  const stores = (name: string) => ({
    stores: {
      bells: {
        sql: () => ({}),
        memory: (db: Context) => ({
          ...db,
          of: Reflect.apply(db['table'] as never, db, [name, { key: 'id' }]) as unknown,
        }),
      },
    },
    tables: ['bell_ring'],
  });
  t.strictSame(await refused(stores('bell_ring')), []);
  t.strictSame(await refused(stores('identity_user')), [
    'Plugin "bell" did not build: Plugin "bell" keeps the table "identity_user", which is not in its `tables`. Add it to `tables` of its definition.',
  ]);
});

void t.test('parts and providers must be objects', async () => {
  for (const [parts, is] of [
    [7, 'a number'],
    ['rung', 'a text'],
    [null, 'null'],
  ] as const)
    t.strictSame(await refused({ build: () => parts }), [
      `Plugin "bell" did not build: its \`build\` made ${is}. Let it return an object of its parts.`,
    ]);
  for (const [made, is] of [
    [undefined, 'undefined'],
    [7, 'a number'],
    [Promise.resolve(greeter('a')), 'a promise'],
  ] as const)
    t.strictSame(await refused({ provides: { SampleExtra: () => made } }), [
      `Plugin "bell" did not build: its \`provides\` returned ${is} for the port SampleExtra. Return the object that implements the port, and no promise of it.`,
    ]);
});

const route = (rest: object): object => ({
  id: 'bellRing',
  summary: 'Rings',
  method: 'GET',
  path: '/bells',
  access: { who: 'anyone' },
  scope: null,
  meter: 'none',
  result: 'empty',
  run: () => undefined,
  ...rest,
});

void t.test('contributions of any kind that differ after the build are rejected', async () => {
  const built = (kind: string, make: (name: string) => object) =>
    refused({
      build: () => ({ late: false }),
      [kind]: (parts: { late: unknown }) => [make(parts.late === false ? 'b' : 'a')],
    });
  const cases: readonly (readonly [string, (name: string) => object, string])[] = [
    [
      'events',
      (name) => ({ name, type: 'x', optional: true, delivery: 'durable', handle: () => 0 }),
      '"b" to x durable, "a" to x durable',
    ],
    ['jobs', (name) => ({ name, everySeconds: 60, run: () => 0 }), '"b", "a"'],
    ['probes', (name) => ({ name, check: () => 0 }), '"b", "a"'],
    [
      'pages',
      (name) => ({
        id: name,
        summary: 'A',
        place: 'instance',
        path: '/a',
        access: { who: 'session' },
        scope: null,
        meter: 'none',
        forms: [],
        run: () => 0,
      }),
      '"b" /a, "a" /a',
    ],
    ['routes', (name) => route({ id: name }), '"b" GET /bells, "a" GET /bells'],
  ];
  for (const [kind, make, odd] of cases)
    t.match(await built(kind, make), [
      `Plugin "bell" did not build: its ${kind} are not those it told before it was built: ${odd}. Let its \`${kind}\` go by \`config\` alone`,
    ]);
});

void t.test('members that exist only after the build are validated then', async () => {
  const routes = (parts: { run: unknown; size: unknown }) => [route({ run: parts.run, maxBytes: parts.size })];
  t.strictSame(await refused({ build: () => ({ size: 'big', rum: () => undefined }), routes }), [
    'Plugin "bell" did not build: The route "bellRing" of plugin "bell" has "maxBytes", which must be a whole number from 0 and is a text. Correct it in the code of the plugin.',
  ]);
  t.strictSame(await refused({ build: () => ({ size: 7 }), routes }), [
    'Plugin "bell" did not build: The route "bellRing" of plugin "bell" lacks "run". Add the function that answers.',
  ]);
  t.strictSame(await refused({ build: () => ({ size: 7, run: () => undefined }), routes }), []);
});

void t.test('a builder with a different result per call cannot take the place of another plugin', async (t) => {
  let calls = 0;
  const shifty = {
    name: 'shifty',
    onFailure: 'isolate',
    // The check gets the first result, the host compares the second and the third.
    routes: () => [route({ id: 'shifty', path: ++calls === 1 ? '/elsewhere' : '/bells' })],
  };
  const host = await started(t, { routes: () => [route({})] }, shifty);
  t.match(host.states(), {
    bell: { state: 'started' },
    shifty: {
      state: 'failed',
      reason: 'Plugin "shifty" did not build: The route "GET /api/v1/bells" is claimed by "bell" and by "shifty"',
    },
  });
  t.strictSame(host.routes(), ['GET /bells']);
});

void t.test(
  'undeclared members are removed from answers of external plugins, and rejected in answers of our own plugins',
  async (t) => {
    const answering = plain({
      routes: () => [route({ result: shape({ ok: flag() }), run: () => ({ ok: true, secret: 'hunter2' }) })],
    });
    const answer = async (foreign: readonly string[], path: string) => {
      const host = await bareHost([answering], { foreign });
      t.teardown(() => host.stop());
      return fetch(`${await host.listen()}${path}`);
    };
    t.strictSame(await (await answer(['bell'], '/api/v1/x/bell/bells')).json(), { ok: true });
    t.equal((await answer([], '/api/v1/bells')).status, 500);
  },
);

void t.test('an audit entry with an action that is not in `audits` is rejected, and nothing is recorded', async (t) => {
  const appended: string[] = [];
  let context: Context = {};
  await started(
    t,
    {
      name: 'audit',
      provides: { AuditLog: () => ({ append: async ({ action }: { action: string }) => appended.push(action) }) },
    },
    {
      needs: ['AuditLog'],
      audits: ['bell.sold'],
      build: (given: Context) => {
        context = given;
      },
    },
  );
  const append = (action: string) => () => context['AuditLog']?.['append']?.({ action });
  t.equal(await told(append('bell.sold')), 'it was not refused');
  t.equal(
    await told(append('bell.sodl')),
    'Plugin "bell" appends an audit entry "bell.sodl", which is not in its `audits`. Did you mean "bell.sold"? If not, add it to `audits` of its definition.',
  );
  t.equal(
    await told(append('user.deleted')),
    'Plugin "bell" appends an audit entry "user.deleted", which is not in its `audits`. Add it to `audits` of its definition.',
  );
  t.strictSame(appended, ['bell.sold']);
});
