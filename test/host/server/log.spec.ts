// The log: JSON lines for machines, short lines on a terminal, and no secrets in either.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { openLog, readable } from '#host/server/log';

const captured = (isTTY: boolean) => {
  const lines: string[] = [];
  return { lines, sink: { isTTY, write: (text: string) => lines.push(text) } };
};

/** A process that can call `openLog`. */
const logging = (source: string, stderr: 'pipe' | number): ChildProcess => {
  const log = JSON.stringify(join(import.meta.dirname, '../../../host/server/log.ts'));
  const program = `const { openLog } = await import(${log}); ${source}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', stderr] });
};

void t.test('without a terminal each line is JSON with its fields', async (t) => {
  const { lines, sink } = captured(false);
  const log = openLog('info', sink)('sample');
  log.debug({}, 'unseen');
  log.info({ requestId: 'r1' }, 'request');
  t.equal(lines.length, 1);
  t.match(JSON.parse(lines[0] ?? ''), {
    level: 30,
    name: 'sample',
    requestId: 'r1',
    msg: 'request',
    time: /^\d{4}-.*Z$/,
  });
});

void t.test('on a terminal a line is short, and control characters from clients are replaced', async (t) => {
  const { lines, sink } = captured(true);
  openLog('warn', sink)('sample').warn({ route: '/a', agent: 'x\u001b[2J\ny' }, 'odd');
  t.match(lines, [/^\d\d:\d\d:\d\d warn {2}sample: odd route=\/a agent=x\?\[2J\?y\n$/]);
});

void t.test('the stack of an error is kept, on separate lines', async (t) => {
  const { lines, sink } = captured(false);
  openLog('error', sink)('sample').error({ err: new Error('no luck') }, 'failed');
  t.match(JSON.parse(lines[0] ?? ''), { err: { type: 'Error', message: 'no luck', stack: /at / } });
  t.match(readable(lines[0] ?? ''), /failed\nError: no luck\n +at /);
});

void t.test('a secret that is logged by mistake is masked', async (t) => {
  const { lines, sink } = captured(false);
  openLog(
    'info',
    sink,
  )('sample').info(
    { password: 'hunter2', token: 'hunter2', headers: { authorization: 'hunter2', cookie: 'hunter2' } },
    'oops',
  );
  t.notMatch(lines.join(''), /hunter2/);
});

void t.test('a silent log writes nothing', async (t) => {
  const { lines, sink } = captured(false);
  openLog('silent', sink)('sample').error({}, 'failed');
  t.strictSame(lines, []);
});

void t.test('lines of a gathering log are written together, after a short time or when there are many', async (t) => {
  const { lines: texts, sink } = captured(false);
  const logOf = openLog('info', sink);
  const log = logOf('access', { gathered: true });
  for (const path of ['/a', '/b', '/c']) log.info({ path }, 'request');
  logOf('host').info({}, 'at once');
  t.equal(texts.length, 1);
  await pause(100);
  t.equal(texts.length, 2);
  const told = (texts[1] ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly path: string });
  t.strictSame(
    told.map(({ path }) => path),
    ['/a', '/b', '/c'],
  );
  for (let n = 0; n < 250; n += 1) log.info({}, 'many');
  t.strictSame(
    texts.slice(2).map((some) => some.split('\n').length - 1),
    [100, 100],
  );
  await pause(100);
  t.equal(texts[4]?.split('\n').length, 51);
});

void t.test('a process that exits writes its gathered lines', async (t) => {
  const child = logging(
    "openLog('info', process.stderr)('access', { gathered: true }).info({}, 'last'); process.exit();",
    'pipe',
  );
  t.match(JSON.parse(await text(child.stderr as Readable)), { msg: 'last' });
});

void t.test('lines that could not be written are counted, and the next written line has the count', async (t) => {
  const lines: string[] = [];
  let full = false;
  const log = openLog('info', {
    write(text, done) {
      if (!full) lines.push(text);
      done?.(full ? new Error('ENOSPC') : null);
    },
  })('sample');
  log.info({}, 'one');
  full = true;
  for (let lost = 0; lost < 3; lost += 1) log.info({}, 'lost');
  full = false;
  log.info({}, 'two');
  log.info({}, 'three');
  const told = lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly lines?: number });
  t.strictSame(
    told.map(({ msg }) => msg),
    ['one', 'two', 'the log could not be written for a while: lines of it are lost', 'three'],
  );
  t.equal(told[2]?.lines, 3);
});

void t.test('a process whose log cannot be written continues', async (t) => {
  const full = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(full));
  const child = logging(
    `for (const name of ['host', 'sample']) openLog('info', process.stderr)(name).info({}, 'nobody reads this');
     setTimeout(() => { openLog('info', process.stderr)('later').info({}, 'nor this'); console.log('done'); }, 50);`,
    full,
  );
  const said: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  t.equal(code, 0);
  t.equal(Buffer.concat(said).toString(), 'done\n');
});
