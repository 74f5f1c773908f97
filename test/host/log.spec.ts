// The log: JSON lines for machines, short lines for people, no secret in either.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openLog, readable } from '#host/log';

const captured = (isTTY: boolean) => {
  const lines: string[] = [];
  return { lines, sink: { isTTY, write: (text: string) => lines.push(text) } };
};

void t.test('where nobody watches, each line is JSON with its facts', async (t) => {
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

void t.test('on a terminal a line is short, and what a client sent cannot steer the terminal', async (t) => {
  const { lines, sink } = captured(true);
  openLog('warn', sink)('sample').warn({ route: '/a', agent: 'x\u001b[2J\ny' }, 'odd');
  t.match(lines, [/^\d\d:\d\d:\d\d warn {2}sample: odd route=\/a agent=x\?\[2J\?y\n$/]);
});

void t.test('the stack of an error is kept, on its own lines', async (t) => {
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

void t.test('lines that could not be written are counted, and told of by the next one that is', async (t) => {
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

void t.test('a process whose log cannot be written goes on', async (t) => {
  const full = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(full));
  const log = join(import.meta.dirname, '../../host/log.ts');
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `const { openLog } = await import(${JSON.stringify(log)});
       for (const name of ['host', 'sample']) openLog('info', process.stderr)(name).info({}, 'nobody reads this');
       setTimeout(() => { openLog('info', process.stderr)('later').info({}, 'nor this'); console.log('done'); }, 50);`,
    ],
    { stdio: ['ignore', 'pipe', full] },
  );
  const said: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  t.equal(code, 0);
  t.equal(Buffer.concat(said).toString(), 'done\n');
});
