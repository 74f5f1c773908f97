// Tests that the commands of README.md run in an empty folder against a new server.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { layCluster } from '#test/support/servers/cluster';
import { Command } from '#test/support/servers/command';
import { temporaryFolder } from '#test/support/folder';
import { root } from '../../../tools/project-files.ts';

const page = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

function bash(script: string, cwd: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      'bash',
      ['-e', '-o', 'pipefail', '-c', script],
      { cwd, env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: cwd, LANG: 'C.UTF-8' } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
      },
    );
  });
}

void t.test(
  'two commands start the forge, and the next five sign in, create a token and a repository, push and read',
  async (t) => {
    const [start = '', five = ''] = blocks;
    t.strictSame(start.trimEnd().split('\n'), ['npm ci', 'npm start']);
    const [settings = '', ...commands] = five.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    t.equal(commands.length, 5);
    t.match(settings, /^FORGE=http:\/\/127\.0\.0\.1:3000 PASSWORD='the password that was printed'$/);

    const home = await temporaryFolder(t);
    await layCluster(join(home, 'data'));
    const server = new Command(t, ['serve'], { cwd: home, environment: { PORT: '0' } });
    const url = await server.listening();
    const password = /^password: (\S+)$/m.exec(server.stdout)?.[1] ?? '';
    t.ok(password.length >= 16, 'the first start printed a password');

    // The values that a reader fills in: the port, and the printed password.
    const typed = settings.replace('http://127.0.0.1:3000', url).replace('the password that was printed', password);
    const folder = await temporaryFolder(t);
    const { code, stdout, stderr } = await bash([typed, ...commands].join('\n'), folder);
    t.equal(code, 0, stderr);
    t.match(stdout, /"name":"hello"/, 'the repository was created');
    t.ok(stdout.endsWith('# Hello\n'), 'the file was read back');
  },
);

void t.test('the test command of README.md is the one of package.json', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  t.strictSame(blocks[2]?.trim(), 'npm test');
  for (const [, name = ''] of page.matchAll(/`npm run ([\w-]+)`/g)) t.type(scripts[name], 'string', `npm run ${name}`);
});
