// Tests of the example packages of docs/examples in an external installation: built, packed, installed next to the
// packed Hexforge in an empty folder, then started, killed, disabled, enabled and upgraded. On the database under test.
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { layCluster } from '#test/support/servers/cluster';
import { Command, hexforge } from '#test/support/servers/command';
import { temporaryFolder } from '#test/support/folder';
import { databaseUnderTest } from '#test/support/database';
import { createDatabase } from '#test/support/servers/postgres';
import type * as People from '../../../../docs/examples/password-file/people.ts';
import { root } from '../../../../tools/project-files.ts';
import { packed, packPlugin, unpack, withNode } from '../packed.ts';

const names = ['labels', 'password-file', 'chat-notifier'] as const;
const password = 'correct horse battery staple';
const webhook = '/admin/settings/chat-notifier.webhook';

/** The chat server: records messages until it is set to `deaf`, and then leaves every request without an answer. */
async function chat(t: Test) {
  const heard: string[] = [];
  const hanging: ServerResponse[] = [];
  const state = { deaf: false };
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if (state.deaf) return void hanging.push(response);
      heard.push((body as { text: string }).text);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { heard, hanging, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** A plugin with one of each contribution to pages, all of which throw. */
const broken = `// Throws in every page and in every part of other pages.
import { anyone, definePlugin, page } from 'hexforge/plugin';
const fail = () => {
  throw new Error('broken on purpose');
};
export default definePlugin({
  name: 'broken',
  version: '1.0.0',
  api: '^0.2.0',
  pages: () => [page({ id: 'brokenPage', summary: 'Throws', path: '/page', access: anyone, scope: null, run: fail })],
  tabs: () => [{ id: 'broken', title: 'Broken tab', path: '/tab', permission: 'repo.read', count: fail }],
  menu: () => [{ id: 'broken', title: 'Broken entry', path: '/-/x/broken/page', menu: 'instance', access: anyone }],
  cards: () => [{ id: 'broken', title: 'Broken card', run: fail }],
  panels: () => [{ id: 'broken', title: 'Broken panel', on: 'repository', run: fail }],
});
`;

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Changes the sources as for a release of the author: one more migration, and a new version. */
async function upgrade(folder: string): Promise<void> {
  const replace = async (file: string, from: string, to: string): Promise<void> => {
    const text = await readFile(join(folder, file), 'utf8');
    t.ok(text.includes(from), `${file} has ${from}`);
    await writeFile(join(folder, file), text.replace(from, to));
  };
  await replace('package.json', '"version": "1.0.0"', '"version": "1.1.0"');
  await replace('plugin.ts', "version: '1.0.0'", "version: '1.1.0'");
  const more = "{ name: '002-note', up: [`alter table labels_label add column note text not null default ''`] }";
  await replace('plugin.ts', 'migrations: [labels]', `migrations: [labels, ${more}]`);
}

void t.test('the example packages, installed from their tarballs', { timeout: 240_000 }, async (t) => {
  const { project, installIn } = await packed();
  for (const name of names) await cp(join(root, 'docs/examples', name), join(project, name), { recursive: true });

  await t.test('the tests of the packages pass', async (t) => {
    const tests = names.flatMap((name) => [`${name}/*.test.ts`, `${name}/web/*.test.ts`]);
    const { stdout } = await withNode(process.execPath, ['--test', '--test-reporter', 'tap', ...tests], project).catch(
      (error: unknown) => error as { stdout: string },
    );
    t.match(stdout, /^# fail 0$/m, stdout);
    t.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) > 10);
  });

  const home = await temporaryFolder(t);
  const bin = join(await installIn(home), 'bin/hexforge.js');
  for (const tarball of await Promise.all(names.map((name) => packPlugin(join(project, name)))))
    await unpack(tarball, home);

  // The module that the README of the example uses to create a line of the password file.
  const people = join(home, 'node_modules/hexforge-plugin-password-file/dist/people.js');
  const { lineOf } = (await import(pathToFileURL(people).href)) as typeof People;
  await writeFile(join(home, 'people'), `${await lineOf('ada', 'analytical engine')}\n`);
  await writeFile(join(home, 'broken.js'), broken);
  await writeFile(
    join(home, 'hexforge.yaml'),
    `plugins:
  identity: { scrypt_log_n: 4 }
  labels: { package: hexforge-plugin-labels }
  password-file: { package: hexforge-plugin-password-file, file: ${join(home, 'people')} }
  chat-notifier: { package: hexforge-plugin-chat-notifier }
  broken: { path: ./broken.js }
`,
  );
  const environment: Record<string, string> = {
    PORT: '0',
    HEXFORGE_CONFIG: 'hexforge.yaml',
    HEXFORGE_ADMIN_PASSWORD: password,
  };
  if (databaseUnderTest() === 'postgresql') {
    const made = await createDatabase();
    t.teardown(() => made.drop());
    environment['DATABASE_URL'] = made.url;
  } else await layCluster(join(home, 'data'));

  const there = await chat(t);

  const tokens = new Map<string, string>();
  const start = async (plugins?: string) => {
    const more = plugins === undefined ? {} : { HEXFORGE_PLUGINS: plugins };
    const server = new Command(t, ['serve'], { cwd: home, program: bin, environment: { ...environment, ...more } });
    const url = await server.listening();
    const call = async (method: string, path: string, who?: string, body?: object) => {
      const token = who === undefined ? undefined : tokens.get(who);
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Record<string, unknown> };
    };
    const signIn = async (username: string, word: string): Promise<number> => {
      const { status, body } = await call('POST', '/auth/login', undefined, { username, password: word });
      if (status === 200) tokens.set(username, String(body['access_token']));
      return status;
    };
    const create = async (name: string): Promise<void> => {
      t.equal((await call('POST', '/repos', 'admin', { name, visibility: 'public' })).status, 201, name);
    };
    const stop = async (): Promise<void> => {
      server.signal('SIGTERM');
      t.equal(await server.ended(), 0, server.stderr);
    };
    /** A page as a browser asks for it. */
    const open = async (path: string, who?: string) => {
      const token = who === undefined ? undefined : tokens.get(who);
      const response = await fetch(url + path, {
        headers: { accept: 'text/html', ...(token !== undefined && { cookie: `svc_access_token=${token}` }) },
      });
      return { status: response.status, html: await response.text() };
    };
    return { server, call, signIn, create, stop, open };
  };
  const labels = (repository: string): string => `/x/labels/repos/admin/${repository}/labels`;
  const bug = { name: 'Bug', color: '#d73a4a' };

  await t.test('the plugins work, and a kill -9 loses nothing', async (t) => {
    const { server, call, signIn, create, open } = await start();
    t.equal(await signIn('admin', password), 200);
    const ada = { username: 'ada', password, email: 'ada@example.com', display_name: '' };
    t.equal((await call('POST', '/admin/users', 'admin', ada)).status, 201);
    t.equal(await signIn('ada', 'analytical engine'), 200, 'the file lets her sign in');
    t.equal(await signIn('ada', 'difference engine'), 401);
    t.equal((await call('PUT', webhook, 'admin', { value: there.url })).status, 200);

    for (const name of ['kept', 'dropped']) {
      await create(name);
      t.match(await call('POST', labels(name), 'admin', bug), { status: 201, body: bug });
      t.equal((await call('POST', labels(name), 'ada', bug)).status, 403, 'ada may read, not write');
    }
    await until(() => there.heard.length === 2);

    const page = await open('/admin/kept/-/x/labels/all');
    t.match(page, { status: 200, html: /<bdi>Bug<\/bdi>/ });
    t.match(page.html, /\/-\/x\/labels\/all"[^>]*>Labels <span class="count">1</, 'the tab with its count');
    t.notMatch(page.html, /labels\/add/, 'others may not write');
    t.match((await open('/admin/kept/-/x/labels/all', 'admin')).html, /action="\/admin\/kept\/-\/x\/labels\/add"/);
    const front = await open('/admin/kept');
    t.match(front, { status: 200, html: /<aside>[^]*<bdi>Bug<\/bdi>/ }, 'the panel');
    t.match(front.html, /could not show “Broken panel”[^]*<\/aside>/);
    t.match(front.html, /Broken tab\s*</, 'a tab without a count');
    const dashboard = await open('/');
    t.match(dashboard, { status: 200, html: /href="\/-\/x\/labels\/all">Labels</ }, 'the menu entry');
    t.match(dashboard.html, /<section class="card">[^]*<bdi>Bug<\/bdi>/, 'the card');
    t.match(dashboard.html, /could not show “Broken card”/);
    t.match(await open('/-/x/broken/page'), { status: 500, html: /<header>/ });

    there.state.deaf = true;
    await create('late');
    await until(() => there.hanging.length === 1);
    server.signal('SIGKILL');
    t.equal(await server.ended(), 'SIGKILL');
    for (const response of there.hanging.splice(0)) response.destroy();
    there.state.deaf = false;
  });

  await t.test('disabled plugins are absent, and the forge runs', async (t) => {
    const { call, signIn, create, stop, open } = await start('-labels,-chat-notifier,-password-file,-broken');
    t.equal((await call('GET', labels('kept'))).status, 404);
    t.equal((await open('/admin/kept/-/x/labels/all')).status, 404);
    for (const path of ['/', '/admin/kept', '/-/explore']) {
      const { status, html } = await open(path);
      t.equal(status, 200, path);
      t.notMatch(html, /\/-\/x\/|Broken/, path);
    }
    t.equal(await signIn('ada', 'analytical engine'), 401);
    await create('meanwhile');
    t.equal((await call('DELETE', '/repos/admin/dropped', 'admin', { confirmation: 'admin/dropped' })).status, 204);
    await stop();
    t.strictSame(there.heard, ['admin/kept is there', 'admin/dropped is there']);
  });

  await t.test('enabled again in a new version: migrations are applied, and missed events are delivered', async (t) => {
    await upgrade(join(project, 'labels'));
    await unpack(await packPlugin(join(project, 'labels')), home);
    const { server, call, signIn, create, stop } = await start();
    t.match(server.stderr, /"plugin":"labels"[^\n]*002-note|002-note[^\n]*"plugin":"labels"/);
    t.match((await call('GET', labels('kept'))).body, { items: [bug], total: 1 }, 'the data still exists');
    t.equal(await signIn('ada', 'analytical engine'), 200);
    await until(() => there.heard.length === 4);
    t.strictSame(
      new Set(there.heard.slice(2)),
      new Set(['admin/late is there', 'admin/meanwhile is there']),
      'the undelivered event, and the one while it was disabled',
    );
    await create('last');
    await until(() => there.heard.length === 5);
    const shown = (await call('GET', '/admin/plugins', 'admin')).body as unknown as readonly {
      readonly name: string;
      readonly version: string;
      readonly state: string;
    }[];
    t.match(
      shown
        .filter(({ name }) => names.includes(name as 'labels'))
        .map(({ name, version, state }) => ({ name, version, state })),
      [
        { name: 'labels', version: '1.1.0', state: 'started' },
        { name: 'password-file', version: '1.0.0', state: 'started' },
        { name: 'chat-notifier', version: '1.0.0', state: 'started' },
      ],
    );
    await stop();
    const purge = await hexforge(t, ['plugins', 'purge', 'chat-notifier', '--yes'], {
      cwd: home,
      program: bin,
      environment: { ...environment, HEXFORGE_PLUGINS: '-chat-notifier' },
    });
    t.match(purge.stdout, /table +chat_notifier_told +4 rows/, 'nothing is kept about the deleted repository');
  });
});
