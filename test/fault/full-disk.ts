// Fills the disk of the data directory under pushes and writes, frees it, and checks that every refusal was clear and
// true and that the server healed by itself.
// Usage: node test/fault/full-disk.ts [--rounds 3] [--database-url URL]. Needs the right to mount: the disk is a small
// tmpfs. Ends non-zero when a promise was broken.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort, ServerProcess } from '#test/support/server-process';
import { inspect } from './inspection.ts';
import { call, createToken, Pusher, signIn, Writer } from './traffic.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, 'database-url': { type: 'string' } },
});
const databaseUrl = values['database-url'];
const embedded = databaseUrl === undefined;
const mebibyte = 1024 ** 2;

const root = mkdtempSync(join(tmpdir(), 'hexforge-full-'));
const disk = join(root, 'disk');
const dataDir = join(disk, 'data');
const filling = join(disk, 'filling');
mkdirSync(disk);
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', disk]);

const faults: string[] = [];
const figures = { refusals507: 0, refusals503: 0, pushesRefused: 0, healedMs: [] as number[], slowestAnswerMs: 0 };
const free = (): number => {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
};

/** Leaves so many bytes. */
function fill(leave: number): void {
  const file = openSync(filling, 'a', 0o600);
  const zeros = Buffer.alloc(mebibyte);
  try {
    for (let left = free() - leave; left > 0; left = free() - leave)
      writeSync(file, zeros, 0, Math.min(left, zeros.length));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

const open = async (): Promise<ServerProcess> => await ServerProcess.start({ dataDir, databaseUrl, port });

/** Ids of the repositories made here. */
const probed: string[] = [];

interface Told {
  readonly status: number;
  readonly body: unknown;
}

async function ask(method: string, path: string, body?: unknown): Promise<Told> {
  const began = performance.now();
  try {
    const told = await call(server.url, method, path, token, body);
    if (told.status === 201 && path === '/api/v1/repos') probed.push(String((told.body as { id: unknown }).id));
    return told;
  } catch (error) {
    faults.push(`${method} ${path} had no answer: ${String(error)}`);
    return { status: 0, body: undefined };
  } finally {
    figures.slowestAnswerMs = Math.max(figures.slowestAnswerMs, Math.round(performance.now() - began));
  }
}

/** A write that may be refused for want of space alone. @returns whether it was. */
async function refused(what: string, { status, body }: Told): Promise<boolean> {
  if (status === 507) figures.refusals507++;
  else if (status === 503) figures.refusals503++;
  else if (status >= 400) faults.push(`${what} on a full disk was ${status} ${JSON.stringify(body)}`);
  return status === 507 || status === 503;
}

let made = 0;
const writes = {
  'a new description': () => ask('PATCH', '/api/v1/repos/admin/probed', { description: `d${made++}` }),
  'a new repository': () => ask('POST', '/api/v1/repos', { name: `probe-${made++}` }),
  'a new file': () =>
    ask('PUT', `/api/v1/repos/admin/probed/contents/file-${made++}`, {
      content: Buffer.alloc(200_000, String(made)).toString('base64'),
      message: 'a file',
      branch: 'main',
    }),
};

async function reads(): Promise<void> {
  for (const path of ['/api/v1/repos/admin/probed', '/api/v1/repos/admin/probed/branches', '/healthz', '/readyz']) {
    const { status, body } = await ask('GET', path);
    if (status !== 200) faults.push(`GET ${path} on a full disk was ${status} ${JSON.stringify(body)}`);
    if (path === '/readyz' && embedded && !JSON.stringify(body).includes('database'))
      faults.push(`/readyz did not name the database: ${JSON.stringify(body)}`);
  }
}

mkdirSync(dataDir, { mode: 0o700 });
const port = await freePort();
let server = await open();
const token = await createToken(server.url, await signIn(server.url));
await ask('POST', '/api/v1/repos', { name: 'probed' });
await writes['a new file']();
const pusher = await Pusher.create(server.url, token, join(root, 'clone'), 'pushed');
const writer = new Writer(server.url, token, 'written');
const wal = (): number =>
  embedded ? readdirSync(join(dataDir, 'database/pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name)).length : 0;
let mostWal = 0;

for (let round = 1; round <= Number(values.rounds); round++) {
  const traffic = [pusher.run(), writer.run()];
  await pause(1000);
  fill(30 * mebibyte);
  await pause(500);
  if (embedded) {
    for (const [what, write] of Object.entries(writes))
      if (!(await refused(what, await write()))) faults.push(`${what} was taken with 30 MiB left`);
    await reads();
  }
  fill(0);
  const interruptedBefore = pusher.interrupted;
  for (let n = 0; n < 5; n++) {
    fill(0);
    for (const [what, write] of Object.entries(writes)) await refused(what, await write());
    await pause(200);
  }
  await reads();
  figures.pushesRefused += pusher.interrupted - interruptedBefore;
  mostWal = Math.max(mostWal, wal());
  if (!/the disk|No space left|is full/.test(server.log)) faults.push('no line of the log names the disk');
  if (round % 2 === 0) {
    const signal = round % 4 === 0 ? 'SIGTERM' : 'SIGKILL';
    const began = performance.now();
    server.signal(signal);
    const code = await server.ended();
    for (const one of [pusher, writer]) one.stop();
    await Promise.all(traffic);
    if (signal === 'SIGTERM' && code !== 0) faults.push(`SIGTERM on a full disk ended with ${code}`);
    if (performance.now() - began > 11_000) faults.push(`${signal} took ${performance.now() - began} ms`);
    const start = await open().then(
      (started) => started,
      (error: unknown) => String(error),
    );
    if (typeof start !== 'string') {
      if (embedded) faults.push('a server started on a disk without a byte');
      start.signal('SIGKILL');
      await start.ended();
    } else if (!/ended with 78 /.test(start) || !/is full/.test(start) || /should not have happened/.test(start))
      faults.push(`a start on a full disk said: ${start}`);
    rmSync(filling);
    server = await open();
  } else {
    rmSync(filling);
    const began = performance.now();
    for (;;) {
      const told = await Promise.all(Object.values(writes).map((write) => write()));
      if (told.every(({ status }) => status < 300)) break;
      if (performance.now() - began > 15_000) {
        faults.push(`not healed after 15 s: ${JSON.stringify(told)}`);
        break;
      }
      await pause(50);
    }
    figures.healedMs.push(Math.round(performance.now() - began));
    for (const one of [pusher, writer]) one.stop();
    await Promise.all(traffic);
  }
  process.stdout.write(`round ${round}: ${faults.length} faults, log of ${wal()} files\n`);
}

faults.push(...(await pusher.faults(server.url)), ...(await writer.faults(server.url)));
const repositories = [
  ...probed,
  ...(await pusher.repositoryIds(server.url)),
  ...(await writer.repositoryIds(server.url)),
];
server.signal('SIGTERM');
const code = await server.ended();
if (code !== 0) faults.push(`the last stop ended with ${code}`);
faults.push(...(await inspect({ dataDir, databaseUrl, repositories, pushes: [pusher.expectation()] })));
process.stdout.write(
  `${JSON.stringify({ ...figures, mostWalFiles: mostWal, acknowledgedWrites: writer.acknowledged, acknowledgedPushes: pusher.acknowledged })}\n`,
);
if (figures.refusals507 === 0) faults.push('no write was refused: the run proves nothing');
if (mostWal > 5) faults.push(`the write-ahead log had ${mostWal} files`);
for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`);
execFileSync('umount', ['-l', disk]);
rmSync(root, { recursive: true, force: true });
process.stdout.write(
  faults.length === 0 ? 'every refusal was clear, and nothing acknowledged was lost\n' : `${faults.length} faults\n`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
