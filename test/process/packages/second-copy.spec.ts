// Tests of a plugin in a folder with its own copy of Hexforge: its errors, answers and ports behave as with one copy.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { enabledPlugins } from '#test/support/plugin-list';
import { Command } from '#test/support/servers/command';
import { temporaryFolder } from '#test/support/folder';
import { packed } from './packed.ts';

/** Declares the port that both plugins import, each from a copy in its own folder. */
const contract = `
import { declarePort } from 'hexforge/plugin';
declarePort('Bell', { arity: 'single', component: 'bell', critical: false, absent: 'refuse' });
`;

const bell = `
import { anyone, api, ByteStream, definePlugin, NotFound, reply, shape, tagged, text } from 'hexforge/plugin';
import './contract.js';
const open = { summary: 'A sample', method: 'GET', access: anyone, scope: null, result: shape({ text: text() }).id('Bell') };
async function* bytes() { yield Buffer.from('ding'); }
export default definePlugin({
  name: 'bell', version: '1.0.0', api: '^0.2.0', needs: ['Clock'],
  provides: { Bell: () => ({ ring: () => 'dong' }) },
  routes: () => [
    api({ ...open, id: 'bellGone', path: '/gone', run: async () => { throw new NotFound('There is no bell'); } }),
    api({ ...open, id: 'bellMade', path: '/made', run: () => reply({ text: 'made' }, { status: 201, headers: { 'x-bell': 'yes' } }), statuses: [201] }),
    api({ ...open, id: 'bellTagged', path: '/tagged', run: () => tagged('one', async () => ({ text: 'tagged' })) }),
    api({ ...open, id: 'bellBytes', path: '/bytes', result: 'bytes', run: () => new ByteStream(bytes(), { type: 'text/plain' }) }),
  ],
});
`;

const tower = `
const { anyone, api, definePlugin, shape, text } = require('hexforge/plugin');
require('./contract.js');
module.exports = definePlugin({
  name: 'tower', version: '1.0.0', api: '^0.2.0', needs: ['Bell'],
  build: ({ Bell }) => Bell,
  routes: (bell) => [
    api({ id: 'towerRing', summary: 'A sample', method: 'GET', path: '/ring', access: anyone, scope: null, result: shape({ text: text() }).id('Ring'), run: () => ({ text: bell.ring() }) }),
  ],
});
`;

void t.test('plugins by path, each next to its own copy of Hexforge, behave as with a single copy', async (t) => {
  const { program, installIn } = await packed();
  const folder = await temporaryFolder(t);
  for (const [name, file, code] of [
    ['bell', 'bell.js', bell],
    ['tower', 'tower.cjs', tower],
  ] as const) {
    const project = join(folder, name);
    await mkdir(project);
    await installIn(project);
    await writeFile(join(project, 'package.json'), '{"type":"module"}');
    await writeFile(join(project, 'contract.js'), contract);
    await writeFile(join(project, file), code);
  }
  await writeFile(
    join(folder, 'hexforge.yaml'),
    JSON.stringify({
      plugins: {
        ...Object.fromEntries(enabledPlugins.map((name) => [name, { enabled: false }])),
        bell: { path: './bell/bell.js' },
        tower: { path: './tower/tower.cjs' },
      },
    }),
  );
  const server = new Command(t, ['serve'], {
    cwd: folder,
    program,
    environment: { PORT: '0', HEXFORGE_CONFIG: 'hexforge.yaml', HEXFORGE_DATABASE: 'memory' },
  });
  const url = `${await server.listening()}/api/v1/x`;
  const read = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${url}${path}`, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  const gone = await read('/bell/gone');
  t.match([gone.status, JSON.parse(gone.text)], [404, { error: 'There is no bell', error_code: 'not_found' }]);
  const made = await read('/bell/made');
  t.strictSame([made.status, made.headers.get('x-bell'), made.text], [201, 'yes', '{"text":"made"}']);
  const tagged = await read('/bell/tagged');
  t.strictSame([tagged.status, tagged.text], [200, '{"text":"tagged"}']);
  t.equal((await read('/bell/tagged', { 'if-none-match': tagged.headers.get('etag') ?? '' })).status, 304);
  const bytes = await read('/bell/bytes');
  t.strictSame([bytes.status, bytes.text], [200, 'ding']);
  t.strictSame(
    (await read('/tower/ring')).text,
    '{"text":"dong"}',
    'a plugin can need a port that a plugin with another copy provides',
  );
  server.signal('SIGTERM');
  t.equal(await server.ended(), 0);
});
