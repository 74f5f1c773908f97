// The launcher: the input, output and exit status of programs, and cleanup after the launcher process or the server is
// killed.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { GitProcesses } from '#adapters/git-native/process/git-process';
import { Launcher, type LaunchedProcess } from '#adapters/git-native/process/launcher/launcher';
import { spareConnections } from '#adapters/git-native/process/launcher/launcher-messages';
import { killMarked, startTimeOf } from '#adapters/git-native/process/launcher/process-table';
import { eventually } from '#test/contracts/git/provider';
import { withoutDescriptors } from './descriptors.ts';

const environment = { PATH: process.env['PATH'] ?? '' };

function launcher(t: Test, times: ConstructorParameters<typeof Launcher>[0] = {}): Launcher {
  const made = new Launcher(times);
  t.teardown(() => made.close());
  return made;
}

const shell = (starting: Launcher, script: string, pipes = 0): Promise<LaunchedProcess> =>
  starting.launch('sh', ['-c', script], environment, { pipes });

async function text(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

/** Whether the process runs. A zombie does not count as running. */
async function runs(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout !== '' && !stdout.startsWith('Z');
}

/** The process id that a program prints first. */
const saidBy = async ({ stdout }: LaunchedProcess): Promise<number> =>
  Number(((await once(stdout, 'data')) as [Buffer])[0].toString());

/**
 * A server process whose launcher has started one program, with `folder` as its temporary folder, and the first line of
 * that program.
 */
async function serverIn(
  folder: string,
  script: string,
): Promise<{ readonly server: ChildProcess; readonly line: string }> {
  const module = new URL('../../../../adapters/git-native/process/launcher/launcher.ts', import.meta.url).href;
  await writeFile(
    join(folder, 'server.mjs'),
    `
    import { Launcher } from ${JSON.stringify(module)};
    const { stdout } = await new Launcher().launch('sh', ['-c', '${script}'], { PATH: process.env.PATH });
    stdout.pipe(process.stdout);
  `,
  );
  const server = spawn(process.execPath, [join(folder, 'server.mjs')], {
    env: { ...environment, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  return { server, line: line.toString() };
}

async function helperOf(starting: Launcher): Promise<number> {
  return await saidBy(await shell(starting, 'echo $PPID'));
}

void t.test('a computation runs with the given niceness, an urgent program with 0', async (t) => {
  const starting = new Launcher();
  t.teardown(() => starting.close());
  // The niceness is set after the start, so the script reads it until it is set.
  const script = 'for i in 1 2 3 4 5 6 7 8 9; do [ "$(nice)" = "$1" ] && break; sleep 0.1; done; nice';
  for (const niceness of [0, 10]) {
    const { stdout } = await starting.launch('sh', ['-c', script, 'sh', String(niceness)], environment, { niceness });
    t.equal((await text(stdout)).trim(), String(niceness));
  }
});

void t.test(
  'a program gets its arguments, only its own environment and its input, and returns its output, stderr and exit code',
  async (t) => {
    const starting = launcher(t);
    const { stdin, stdout, ended } = await starting.launch(
      'sh',
      ['-c', 'cat; printf "%s|" "$@"; env; pwd; echo hm >&2; exit 3', 'sh', 'a b', '$c', ''],
      { ...environment, GIVEN: 'ä' },
    );
    stdin.end(Buffer.alloc(300_000, 'x'));
    const [said, ending] = await Promise.all([text(stdout), ended]);
    t.equal(said.slice(0, 300_000), 'x'.repeat(300_000));
    t.equal(said.slice(300_000, 300_008), 'a b|$c||');
    const lines = said.slice(300_008).trimEnd().split('\n');
    t.equal(lines.pop(), '/');
    t.ok(lines.includes('GIVEN=ä'));
    t.notOk(
      lines.some((line) => line.startsWith('HOME=')),
      'no variable of this process except those that the test runner adds to every child',
    );
    t.strictSame(ending, { code: 3, signal: null, stderr: 'hm\n' });
  },
);

void t.test('the outputs and exit codes of a hundred concurrent programs are not mixed up', async (t) => {
  const starting = launcher(t);
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const { stdin, stdout, ended } = await shell(starting, `cat; exit ${index % 7}`);
      stdin.end(String(index));
      const [said, { code }] = await Promise.all([text(stdout), ended]);
      return [said, code];
    }),
  );
  t.strictSame(
    answers,
    Array.from({ length: 100 }, (_, index) => [String(index), index % 7]),
  );
  const asked = await Promise.all([helperOf(starting), helperOf(starting)]);
  t.equal(asked[0], asked[1], 'one launcher process starts all');
});

void t.test('a missing program is rejected, and the next program starts', async (t) => {
  const starting = launcher(t);
  await t.rejects(starting.launch('/nowhere/git', [], environment), { name: 'Unavailable', message: /ENOENT/ });
  await t.rejects(starting.launch('/', [], environment), { name: 'Unavailable', message: /EACCES/ });
  await t.rejects(starting.launch('true', ['x'.repeat(3_000_000)], environment), {
    name: 'Unavailable',
    message: /E2BIG/,
  });
  t.equal((await (await shell(starting, 'exit 0')).ended).code, 0);
});

void t.test(
  'a program is rejected while no folder for the socket can be made, and the next program starts',
  async (t) => {
    const starting = launcher(t);
    const before = process.env['TMPDIR'];
    t.teardown(() => restore('TMPDIR', before));
    process.env['TMPDIR'] = '/nowhere';
    await t.rejects(shell(starting, 'exit 0'), { name: 'Unavailable', message: /temporary folder/ });
    restore('TMPDIR', before);
    t.equal((await (await shell(starting, 'exit 0')).ended).code, 0);
  },
);

void t.test('a launcher process that cannot be started leaves neither folder nor socket', async (t) => {
  const [folder, before] = [await mkdtemp(join(tmpdir(), 'hexforge-launcher-')), process.env['TMPDIR']];
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  // Longer than execve(2) accepts: the start fails at once, like a start for which memory is exhausted.
  const starting = new Launcher({}, { LONG: 'x'.repeat(200_000) });
  process.env['TMPDIR'] = folder;
  const start = t.rejects(shell(starting, 'exit 0'), { name: 'Unavailable', message: /^No process can be started/ });
  await start.finally(() => restore('TMPDIR', before));
  t.strictSame(await readdir(folder), []);
  const listening = (await readFile('/proc/net/unix', 'utf8')).split('\n').filter((line) => line.includes(folder));
  t.strictSame(listening, []);
});

void t.test('additional pipes work in both directions and are blocking', async (t) => {
  const starting = launcher(t);
  const { pipes, ended } = await shell(
    starting,
    'echo question >&3; read answer <&4; echo "$answer" >&3; exec 3>&-',
    2,
  );
  const [questions, answers] = pipes;
  if (questions === undefined || answers === undefined) throw new Error('there are no pipes');
  const reader = questions[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  t.equal(String((await reader.next()).value), 'question\n');
  answers.end('answer\n');
  t.equal(String((await reader.next()).value), 'answer\n');
  t.equal((await reader.next()).done, true);
  t.equal((await ended).code, 0);
});

void t.test('a signal reaches the whole process group, and children of a failed program are ended', async (t) => {
  const starting = launcher(t);
  const killed = await shell(starting, 'sleep 60 & echo $!; wait');
  const child = await saidBy(killed);
  killed.kill('SIGTERM');
  t.strictSame(await killed.ended, { code: null, signal: 'SIGTERM', stderr: '' });
  await eventually(
    async () => !(await runs(child)),
    () => child,
  );
  const failed = await shell(starting, 'sleep 60 & echo $!; exit 1');
  const left = await saidBy(failed);
  t.equal((await failed.ended).code, 1);
  await eventually(
    async () => !(await runs(left)),
    () => left,
  );
  // The program has ended: no other process with the same number is signalled.
  failed.kill('SIGKILL');
});

void t.test(
  'signals that a terminal or supervisor sends to all processes do not end the launcher process',
  async (t) => {
    const starting = launcher(t);
    const { stdin, ended } = await shell(starting, 'cat');
    const helper = await helperOf(starting);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(helper, signal);
    stdin.end();
    t.equal((await ended).code, 0);
    t.equal(await helperOf(starting), helper);
  },
);

void t.test(
  'when the launcher process is killed, its programs count as killed and the next start makes another launcher process',
  async (t) => {
    const [folder, before] = [await mkdtemp(join(tmpdir(), 'hexforge-launcher-')), process.env['TMPDIR']];
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const starting = launcher(t);
    process.env['TMPDIR'] = folder;
    const { ended, stdin } = await shell(starting, 'cat').finally(() => restore('TMPDIR', before));
    t.equal((await readdir(folder)).length, 1);
    const helper = await helperOf(starting);
    process.kill(helper, 'SIGKILL');
    t.match(await ended, { code: null, signal: 'SIGKILL' });
    stdin.destroy();
    t.equal((await (await shell(starting, 'exit 0')).ended).code, 0);
    t.not(await helperOf(starting), helper);
    await eventually(
      async () => (await readdir(folder)).length === 0,
      () => folder,
    );
  },
);

void t.test('programs of a killed launcher process have stopped when they are reported as ended', async (t) => {
  const starting = launcher(t);
  // Each in its own process group; one ignores signals, one has closed its pipes.
  const programs = await Promise.all(
    ['trap "" PIPE TERM HUP; echo $$; sleep 60', 'exec 0<&- 2>&-; setsid sleep 60 & echo $!; wait'].map((script) =>
      shell(starting, script),
    ),
  );
  const pids = await Promise.all(programs.map(saidBy));
  const helper = await helperOf(starting);
  t.strictSame(await Promise.all(pids.map(runs)), [true, true]);
  process.kill(helper, 'SIGKILL');
  for (const [index, { ended }] of programs.entries()) {
    t.match(await ended, { signal: 'SIGKILL' });
    t.equal(await runs(pids[index] ?? 0), false);
  }
});

void t.test('a process that cannot be inspected without a free descriptor is not taken for ended', async (t) => {
  await withoutDescriptors(async () => {
    await t.rejects(killMarked([{ variable: 'HEXFORGE_NOBODY=1' }]), { code: 'EMFILE' });
    t.throws(() => startTimeOf(String(process.pid)), { code: 'EMFILE' });
  });
  t.not(startTimeOf(String(process.pid)), undefined);
});

void t.test('a folder left by a killed server and its launcher process is removed by the next start', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-launcher-'));
  const before = process.env['TMPDIR'];
  t.teardown(() => restore('TMPDIR', before));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { server, line } = await serverIn(folder, 'echo $PPID; sleep 60');
  const helper = Number(line);
  // Neither outlives the other, so neither removes the folder.
  server.kill('SIGSTOP');
  process.kill(helper, 'SIGKILL');
  server.kill('SIGKILL');
  await once(server, 'exit');
  const left = (await readdir(folder)).filter((name) => name !== 'server.mjs');
  t.equal(left.length, 1);
  process.env['TMPDIR'] = folder;
  const starting = launcher(t);
  t.equal((await (await shell(starting, 'exit 0')).ended).code, 0);
  const now = (await readdir(folder)).filter((name) => name !== 'server.mjs');
  t.equal(now.length, 1, 'the folder of the new launcher process');
  t.not(now[0], left[0]);
});

void t.test('a start that waits for connections does not count as idle time', async (t) => {
  const starting = launcher(t, { idle: 100 });
  const failing = Array.from({ length: 8 }, () =>
    starting.launch('/nowhere/git', [], environment).catch(() => undefined),
  );
  const { ended } = await shell(starting, 'sleep 0.5');
  await Promise.all(failing);
  t.equal((await ended).code, 0);
});

void t.test(
  'when no connection arrives, the next start makes another launcher process, and running programs continue',
  async (t) => {
    const starting = launcher(t, { connections: 4000 });
    const { stdin, ended } = await shell(starting, 'cat; exit 7');
    const helper = await helperOf(starting);
    process.kill(helper, 'SIGSTOP');
    // The stopped launcher process receives nothing: some starts use spare connections, the others wait for one.
    const all = Promise.allSettled(
      Array.from({ length: spareConnections }, async () => (await (await shell(starting, 'exit 5')).ended).code),
    );
    await t.rejects(shell(starting, 'exit 0'), { name: 'Unavailable', message: /no connection/ });
    t.not(await helperOf(starting), helper);
    process.kill(helper, 'SIGCONT');
    const [told, waited] = [
      (await all).filter(({ status }) => status === 'fulfilled'),
      (await all).filter(({ status }) => status === 'rejected'),
    ];
    t.ok(told.length > 0 && told.length <= spareConnections / 2, `${told.length} starts had a connection`);
    t.strictSame(
      told.map((start) => 'value' in start && start.value),
      told.map(() => 5),
    );
    t.equal(told.length + waited.length, spareConnections);
    stdin.end();
    t.equal((await ended).code, 7);
    await eventually(
      async () => !(await runs(helper)),
      () => helper,
    );
    await t.rejects(starting.launch('true', [], environment, { pipes: spareConnections - 1 }), {
      name: 'Internal',
      message: /connections/,
    });
  },
);

for (const pipes of [0, 2]) {
  void t.test(
    `a launcher process without descriptors rejects one start with ${pipes} pipes, and starts the next`,
    async (t) => {
      const starting = launcher(t);
      const { stdin, ended } = await shell(starting, 'cat; exit 7');
      const helper = await helperOf(starting);
      const limit = async (files: number): Promise<unknown> =>
        await promisify(execFile)('prlimit', ['--pid', String(helper), `--nofile=${files}:`]);
      // Fewer than it has used since its start.
      await limit(8);
      await t.rejects(shell(starting, 'exit 0', pipes), {
        name: 'Unavailable',
        message: /as many files open as it may/,
      });
      await limit(1024);
      t.equal((await (await shell(starting, 'exit 0', pipes)).ended).code, 0);
      stdin.end();
      t.equal((await ended).code, 7);
    },
  );
}

void t.test(
  'the output of a program ends when the program ends, also when the launcher process is killed',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'hexforge-launcher-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'git');
    await writeFile(path, '#!/bin/sh\necho $PPID\nexec sleep 60\n', { mode: 0o700 });
    const processes = new GitProcesses(path);
    t.teardown(() => processes.close());
    const started = await processes.start([], {});
    let said = '';
    for await (const chunk of started.output()) {
      said += chunk.toString();
      process.kill(Number(said), 'SIGKILL');
    }
    t.match(said, /^\d+\n$/);
    t.match(await started.ended, { code: null, signal: 'SIGKILL' });
  },
);

void t.test(
  'when the server is killed, its programs and the launcher process end, and no folder is left',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'hexforge-launcher-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const { server, line } = await serverIn(folder, 'echo $$ $PPID; sleep 60');
    const started = line.split(' ').map(Number);
    t.strictSame(await Promise.all(started.map(runs)), [true, true]);
    server.kill('SIGKILL');
    await eventually(
      async () => !(await Promise.all(started.map(runs))).includes(true),
      () => started,
    );
    t.strictSame(await readdir(folder), ['server.mjs']);
  },
);

void t.test(
  'closing leaves neither process nor folder, and an idle launcher process does not keep the server alive',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'hexforge-launcher-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const module = new URL('../../../../adapters/git-native/process/launcher/launcher.ts', import.meta.url).href;
    await writeFile(
      join(folder, 'server.mjs'),
      `
    import { Launcher } from ${JSON.stringify(module)};
    const { ended } = await new Launcher().launch('true', [], { PATH: process.env.PATH });
    await ended;
  `,
    );
    await promisify(execFile)(process.execPath, [join(folder, 'server.mjs')], {
      env: { ...environment, TMPDIR: folder },
    });
    await eventually(
      async () => (await readdir(folder)).length === 1,
      () => readdir(folder),
    );
    const starting = new Launcher();
    const helper = await helperOf(starting);
    await starting.close();
    await eventually(
      async () => !(await runs(helper)),
      () => helper,
    );
    t.pass();
  },
);
