// Tests that the first start on a terminal prints few lines, with the password and the address to open.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { layCluster } from '#test/support/servers/cluster';
import { temporaryFolder } from '#test/support/folder';
import { root } from '../../../tools/project-files.ts';

/** Runs the server on a separate terminal until it listens, then presses ctrl-c. @returns its lines. */
async function linesOfStart(cwd: string): Promise<readonly string[]> {
  const program = `${process.execPath} ${join(root, 'bin/hexforge.js')} serve`;
  const child = spawn('env', ['-u', 'NODE_OPTIONS', 'script', '-qec', program, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, PORT: '0', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (!shown.includes('to sign in') && `${shown}${chunk.toString()}`.includes('to sign in'))
      child.stdin.write('\x03');
    shown += chunk.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  const lines = shown.split(/\r?\n/);
  return lines.slice(0, lines.findIndex((line) => line.includes('to sign in')) + 1);
}

const noTerminal = spawnSync('script', ['--version']).error !== undefined;

void t.test(
  'the first start on a terminal prints at most ten lines',
  { skip: noTerminal && 'the program "script" is not installed' },
  async (t) => {
    const cwd = await temporaryFolder(t);
    await layCluster(join(cwd, 'data'));
    const lines = await linesOfStart(cwd);
    t.ok(lines.length > 0 && lines.length <= 10, lines.join('\n'));
    t.match(lines[0], 'preparing the database');
    t.ok(lines.includes('administrator: admin'));
    const password = lines.find((line) => line.startsWith('password: ')) ?? '';
    t.ok(password.length > 20, 'the password is shown');
    const [, url = ''] = /^listening on (\S+)$/.exec(lines.at(-2) ?? '') ?? [];
    t.equal(lines.at(-1), `open ${url} in a browser to sign in`);
    const again = await linesOfStart(cwd);
    t.notMatch(again.join('\n'), /preparing|password/);
  },
);
