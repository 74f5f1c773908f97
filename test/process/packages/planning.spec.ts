// The plugin planning with its own core code as a package from outside: it imports nothing that an author could not,
// and runs beside the packed Hexforge in the place of the standard one.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { layCluster } from '#test/support/cluster';
import { Command } from '#test/support/command';
import { temporaryFolder } from '#test/support/folder';
import { columnUnderTest } from '#test/support/forge';
import { createDatabase } from '#test/support/postgres';
import { root } from '../../../tools/project-files.ts';
import { packed, packPlugin, unpack } from './packed.ts';

const password = 'correct horse battery staple';

/** The specifiers of the checkout → those of an author; the events of a plugin from outside begin with its name. */
const outside = (text: string, up: string): string =>
  text
    .replaceAll(/'#core\/kernel\/[a-z-]+'/g, "'hexforge/plugin'")
    .replaceAll("'#core/repositories/index'", "'hexforge/repositories'")
    .replaceAll("'#core/planning/use-cases'", `'${up}core/use-cases.ts'`)
    .replaceAll("'hexforge/planning'", `'${up}core/index.ts'`)
    .replaceAll(/'((?:label|milestone)\.(?:created|updated|deleted))'/g, "'planning.$1'")
    .replaceAll(/`(?=(?:label|milestone)\.\$\{change\}`)/g, '`planning.');

async function layOut(folder: string): Promise<void> {
  await cp(join(root, 'plugins/planning'), folder, { recursive: true });
  await cp(join(root, 'core/planning'), join(folder, 'core'), { recursive: true });
  for (const path of await readdir(folder, { recursive: true }))
    if (path.endsWith('.ts')) {
      const depth = path.split('/').length - 1;
      const text = await readFile(join(folder, path), 'utf8');
      await writeFile(join(folder, path), outside(text, depth === 0 ? './' : '../'.repeat(depth)));
    }
  const labels = join(root, 'docs/examples/labels');
  const manifest = await readFile(join(labels, 'package.json'), 'utf8');
  await writeFile(join(folder, 'package.json'), manifest.replace('hexforge-plugin-labels', 'hexforge-plugin-planning'));
  const options = await readFile(join(labels, 'tsconfig.json'), 'utf8');
  await writeFile(join(folder, 'tsconfig.json'), options.replace('"*.ts"', '"**/*.ts"'));
}

void t.test('planning as a package of somebody else', { timeout: 240_000 }, async (t) => {
  const { installIn } = await packed();
  const home = await temporaryFolder(t);
  const program = join(await installIn(home), 'bin/hexforge.js');
  const sources = join(home, 'planning');
  await mkdir(sources);
  await layOut(sources);
  await unpack(await packPlugin(sources), home);
  await writeFile(
    join(home, 'hexforge.yaml'),
    `plugins:
  identity: { scrypt_log_n: 10 }
  planning: { package: hexforge-plugin-planning, mount: anywhere }
`,
  );
  const environment: Record<string, string> = {
    PORT: '0',
    HEXFORGE_CONFIG: 'hexforge.yaml',
    HEXFORGE_ADMIN_PASSWORD: password,
  };
  if (columnUnderTest() === 'postgresql') {
    const made = await createDatabase();
    t.teardown(() => made.drop());
    environment['DATABASE_URL'] = made.url;
  } else await layCluster(join(home, 'data'));
  const server = new Command(t, ['serve'], { cwd: home, program, environment });
  const url = await server.listening();
  let token = '';
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as never,
    };
  };
  ({ access_token: token } = (await call('POST', '/auth/login', { username: 'admin', password })).body);
  t.equal((await call('POST', '/repos', { name: 'code', visibility: 'public' })).status, 201);
  const plugins = (await call('GET', '/admin/plugins')).body as readonly Readonly<Record<string, unknown>>[];
  t.match(
    plugins.find(({ name }) => name === 'planning'),
    { origin: 'package hexforge-plugin-planning', state: 'started' },
  );
  const routes = plugins.find(({ name }) => name === 'planning')?.['routes'] as readonly { readonly path: string }[];
  const at = (noun: string): string =>
    (routes.find(({ path }) => path.endsWith(noun))?.path ?? '')
      .replace('/api/v1', '')
      .replace('{owner}/{repo}', 'admin/code');
  const [labels, milestones] = [at('/labels'), at('/milestones')];

  const bug = { name: 'Bug', color: 'd73a4a', description: null };
  const made = await call('POST', labels, bug);
  t.equal(made.status, 201);
  const { id } = made.body as { readonly id: string };
  t.match(made.body, bug);
  t.equal((await call('POST', labels, { ...bug, name: 'bUG' })).status, 409);
  t.equal((await call('POST', labels, { ...bug, color: 'red' })).status, 400);
  t.match((await call('PATCH', `${labels}/${id}`, { name: 'Defect' })).body, { id, name: 'Defect' });
  t.match((await call('GET', labels)).body, [{ id, name: 'Defect' }]);
  const gone = await call('DELETE', `${labels}/defect`);
  t.strictSame([gone.status, gone.headers.get('deprecation')], [204, 'true']);
  t.equal((await call('GET', `${labels}/${id}`)).status, 404);

  const begun = await call('POST', milestones, { title: '1.0', due_date: '2030-01-01' });
  t.match([begun.status, begun.body], [201, { title: '1.0', due_date: '2030-01-01', state: 'open', open_issues: 0 }]);
  const one = `${milestones}/${(begun.body as { readonly id: string }).id}`;
  t.match((await call('PATCH', one, { state: 'closed', due_date: '' })).body, { state: 'closed', due_date: null });
  t.equal((await call('PATCH', one, { due_date: '2030-02-30' })).status, 400);
  t.equal((await call('DELETE', one)).status, 204);

  server.signal('SIGTERM');
  t.equal(await server.ended(), 0, server.stderr);
});
