// Tests of a server with plugins that misbehave in every way: their states and answers, and the routes of other
// plugins; and of commands that load such plugins.
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { hexforge } from '#test/support/servers/command';
import { adminPassword, freePort, ServerProcess } from '#test/support/servers/server-process';

const unreadable = "new (class extends Error { get message() { throw new Error('inner'); } })()";
const answers = (id: string, members: string): string =>
  `api({ id: '${id}', summary: 's', method: 'GET', path: '/${id}', access: anyone, scope: null, result: shape({ text: text() }), ${members} })`;

interface Bad {
  readonly members: string;
  /** The state and its reason: `state: reason`. */
  readonly stands: string;
  /** Route of the plugin → the expected status. */
  readonly asks?: Readonly<Record<string, number>>;
}

/** Isolated plugins. */
const bad: Readonly<Record<string, Bad>> = {
  builds: {
    members: "build() { throw new Error('no rope\\nat all'); }",
    stands: 'failed: Plugin "builds" did not build: no rope',
  },
  odd: {
    members: `build() { throw ${unreadable}; }`,
    stands: 'failed: Plugin "odd" did not build: what it threw cannot be read',
  },
  parts: { members: "build: () => 'parts'", stands: 'failed: Plugin "parts" did not build: its `build` made a text' },
  starts: { members: 'async start() { throw null; }', stands: 'failed: Plugin "starts" did not start: null' },
  takes: {
    members: 'build: (context) => ({ users: context.Users })',
    stands: 'failed: Plugin "takes" did not build: Plugin "takes" uses the port Users, which is not in its `needs`',
  },
  slips: {
    members: 'build: (context) => ({ users: context.Userz })',
    stands:
      'failed: Plugin "slips" did not build: Plugin "slips" asks its context for "Userz", which nothing provides by that name',
  },
  emits: {
    members: `needs: ['Events', 'UnitOfWork'],
      start: (_, { Events, UnitOfWork }) => UnitOfWork.run(() => Events.emit({ type: 'push', aggregate: 'a', payload: {} }))`,
    stands: 'failed: Plugin "emits" did not start: Plugin "emits" emits "push", which is not in its `emits`',
  },
  asks: {
    members: "needs: ['Settings'], start: (_, { Settings }) => Settings.get('signup.enabled')",
    stands:
      'failed: Plugin "asks" did not start: Plugin "asks" reads the setting "signup.enabled", which is neither in its `settings` nor in its `reads`',
  },
  keeps: {
    members: "stores: { a: { sql: () => ({}), memory: (db) => db.table('identity_user', {}) } }",
    stands:
      'failed: Plugin "keeps" did not build: Plugin "keeps" keeps the table "identity_user", which is not in its `tables`',
  },
  changes: {
    members:
      "build: () => ({ a: 1 }), jobs: ({ a }) => (a === 1 ? [] : [{ name: 'j', everySeconds: 60, run: async () => {} }])",
    stands: 'failed: Plugin "changes" did not build: its jobs are not those it told before it was built: "j"',
  },
  timers: {
    members: `async start() { setInterval(() => {}, 50); setTimeout(() => { throw ${unreadable}; }, 1); }`,
    stands: 'degraded: An error of it was not caught: what it threw cannot be read',
  },
  rejects: {
    members: "async start() { setTimeout(() => void Promise.reject('no rope'), 1); }",
    stands: 'degraded: An error of it was not caught: no rope',
  },
  counts: {
    members: "probes: () => [{ name: 'rope', check: () => 3 }]",
    stands: 'degraded: The probe "rope" of "counts" answers a number, and should a sentence or undefined',
  },
  shouts: {
    members: "probes: () => [{ name: 'rope', check: () => 'x'.repeat(9000) + '\\n' }]",
    stands: `degraded: ${'x'.repeat(300)}…`,
  },
  fails: {
    members: `jobs: () => [{ name: 'a', everySeconds: 0.2, run() { throw null; } }, { name: 'b', everySeconds: 0.2, run() { throw ${unreadable}; } },
      { name: 'c', everySeconds: 0.2, run: () => new Promise(() => {}) }], stop() { throw ${unreadable}; }`,
    stands: 'started',
  },
  stays: { members: 'stop: () => new Promise(() => {})', stands: 'started' },
  answers: {
    members: `routes: () => [
      ${answers('perhaps', "run: () => ({ text: 3, secret: 'hunter2' })")},
      ${answers('more', "run: () => ({ text: 'a', secret: 'hunter2' })")},
      ${answers('none', 'run: () => { throw null; }')},
      ${answers('odd', `run: () => { throw ${unreadable}; }`)},
      ${answers('round', "run: () => { const error = new Error('round'); error.cause = error; throw error; }")},
      ${answers('circle', 'result: Joi.any(), run: () => { const a = {}; a.a = a; return a; }')},
      ${answers('code', 'result: Joi.any(), run: () => () => 1')},
      ${answers('later', "run: () => { setTimeout(() => { throw new Error('later'); }, 1); return { text: 'a' }; }")},
      ${answers('link', "result: Joi.object({ text: Joi.link('#nothing') }), run: () => ({ text: 'a' })")},
      ${answers('detail', "run: () => { throw new NotFound('x', { detail: 3 }); }")}]`,
    stands: 'degraded: An error of it was not caught: later',
    asks: {
      perhaps: 500,
      more: 200,
      none: 500,
      odd: 500,
      round: 500,
      circle: 500,
      code: 500,
      later: 200,
      link: 500,
      detail: 500,
    },
  },
};

const source = (name: string, members: string): string =>
  `import { anyone, api, Joi, NotFound, shape, text } from 'hexforge/plugin';
export default { name: '${name}', version: '1.0.0', api: '^0.2.0', onFailure: 'isolate', ${members} };`;

function laid(t: Test, yaml: string, sources: Readonly<Record<string, string>>): string {
  return t.testdir({
    'package.json': '{"type":"module"}',
    'hexforge.yaml': `${yaml}plugins:\n${Object.keys(sources)
      .map((name) => `  ${name}:\n    path: ./${name}.js\n`)
      .join('')}`,
    data: {},
    ...Object.fromEntries(Object.entries(sources).map(([name, text]) => [`${name}.js`, text])),
  });
}

void t.test('the forge runs with misbehaving plugins, and reports the state of each', async (t) => {
  const folder = laid(
    t,
    'stop_timeout: 0.5\n',
    Object.fromEntries(Object.entries(bad).map(([name, { members }]) => [name, source(name, members)])),
  );
  const server = new ServerProcess({
    dataDir: join(folder, 'data'),
    port: await freePort(),
    databaseUrl: undefined,
    environment: { HEXFORGE_CONFIG: join(folder, 'hexforge.yaml'), HEXFORGE_DATABASE: 'memory' },
  });
  t.teardown(async () => {
    server.signal('SIGKILL');
    await server.ended();
  });
  await server.ready;
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${server.url}${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  const login = await ask('/api/v1/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  });
  const { access_token: token } = JSON.parse(login.text) as { readonly access_token: string };
  const headers = { authorization: `Bearer ${token}` };

  for (const [name, { asks = {} }] of Object.entries(bad))
    for (const [path, status] of Object.entries(asks)) {
      const answer = await ask(`/api/v1/x/${name}/${path}`);
      t.equal(answer.status, status, path);
      t.notMatch(answer.text, /hunter2|inner|joi|plugin\.js|at /, path);
    }
  t.match(await ask('/readyz'), { status: 200 });
  const listed = JSON.parse((await ask('/api/v1/admin/plugins', { headers })).text) as {
    readonly name: string;
    readonly state: string;
    readonly reason?: string | null;
  }[];
  const stands = new Map(
    listed.map(({ name, state, reason }) => [name, typeof reason === 'string' ? `${state}: ${reason}` : state]),
  );
  for (const [name, plugin] of Object.entries(bad)) t.equal(stands.get(name), plugin.stands, name);
  t.match(await ask('/healthz'), { status: 200, text: '{"status":"ok"}' });
  t.match(await ask('/api/v1/repos', { headers }), { status: 200, text: '[]' });
  t.match(await ask('/api/v1/openapi.json'), { status: 200 });

  server.signal('SIGTERM');
  t.equal(await server.ended(), 0, 'it stops');
  t.match(server.log, /"plugin":"fails","err":\{"type":"Error","message":"what it threw cannot be read"/);
  t.match(server.log, /"plugin":"stays","err":\{"type":"TookTooLong","message":"it took longer than 0\.5 s"/);
});

const definition = (name: string): string => `export default { name: '${name}', version: '1.0.0', api: '*' };`;
const mend = (name: string): string => `Mend it, or disable the plugin with HEXFORGE_PLUGINS=-${name}.\n`;

/** The loop timeout: longer than loading the program blocks the event loop on a busy machine. */
const loopSeconds = 5;

void t.test('a command that loads a misbehaving plugin ends with a message', async (t) => {
  const ends: Readonly<Record<string, readonly [source: string, says: string]>> = {
    strays: [
      "\nsetTimeout(() => { throw new Error('no rope'); }, 0); await new Promise((done) => setTimeout(done, 5_000));",
      'Plugin "strays" threw what nobody caught: no rope at FOLDER/strays.js:2. ',
    ],
    quits: ['\nprocess.exit(0);', 'Plugin "quits" ended the process at FOLDER/quits.js:2. '],
    loops: [
      '\nexport default { name: "loops", version: "1.0.0", api: "*", routes() {\n for (;;); } };',
      `Plugin "loops" stood still for ${loopSeconds} s in one piece of code at FOLDER/loops.js:3. `,
    ],
  };
  const folder = laid(t, `loop_timeout: ${loopSeconds}\n`, {
    ...Object.fromEntries(Object.entries(ends).map(([name, [source]]) => [name, source])),
    good: definition('good'),
  });
  const names = Object.keys(ends);
  await Promise.all(
    names.map(async (name) => {
      const { code, stdout, stderr } = await hexforge(t, ['check', '--config', 'hexforge.yaml'], {
        cwd: folder,
        environment: {
          HEXFORGE_DATABASE: 'memory',
          HEXFORGE_PLUGINS: names.flatMap((other) => (other === name ? [] : [`-${other}`])).join(),
        },
      });
      t.strictSame([code, stdout], [70, ''], name);
      t.equal(
        stderr.replaceAll(folder, 'FOLDER').replace('Waiting for the debugger to disconnect...\n', ''),
        `hexforge: ${ends[name]?.[1]}${mend(name)}`,
      );
    }),
  );
});
