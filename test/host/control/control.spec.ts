// The control socket between the command line and a running server.
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { NotFound } from '#core/kernel/errors';
import { askServer, openControl } from '#host/control/socket';
import { refusal } from '#host/problems/problem';

/** Paths of testdir may already be too long for a socket. */
async function folder(t: { teardown(work: () => Promise<void>): unknown }): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hf-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

const sockets = (dataDir: string): readonly string[] => readdirSync(join(dataDir, 'run'));

void t.test('a request is answered, with access only for the owner of the directory', async (t) => {
  const dataDir = await folder(t);
  const close = await openControl(dataDir, {
    echo: async (argument) => ({ argument }),
    nothing: async () => undefined,
  });
  t.strictSame(await askServer(dataDir, { ask: 'echo', argument: 'a\nb "c"' }), {
    pid: process.pid,
    value: { argument: 'a\nb "c"' },
  });
  t.strictSame(await askServer(dataDir, { ask: 'nothing' }), { pid: process.pid, value: null });
  const [socket = ''] = sockets(dataDir);
  t.equal(statSync(join(dataDir, 'run', socket)).mode & 0o777, 0o600);
  t.equal(statSync(join(dataDir, 'run')).mode & 0o777, 0o700);
  await close();
  t.strictSame(sockets(dataDir), []);
  t.equal(await askServer(dataDir, { ask: 'echo' }), undefined, 'undefined without a server');
});

void t.test('without a server the answer is undefined, whatever the directory', async (t) => {
  t.equal(await askServer(await folder(t), { ask: 'echo' }), undefined);
  t.equal(await askServer('/nonexistent', { ask: 'echo' }), undefined);
});

void t.test('an error of the server is returned with its message, and an unknown request is rejected', async (t) => {
  const dataDir = await folder(t);
  const close = await openControl(dataDir, {
    refuse: async () => {
      throw refusal('no_keys', 'Nothing signs', 'Enable the plugin that does');
    },
    miss: async () => {
      throw new NotFound('There is no "x"', { detail: 'Check the name' });
    },
    fail: async () => {
      throw new Error('There is no account "x"');
    },
  });
  t.teardown(close);
  await t.rejects(askServer(dataDir, { ask: 'fail' }), { message: 'There is no account "x"' });
  await t.rejects(askServer(dataDir, { ask: 'refuse' }), { message: 'Nothing signs. Enable the plugin that does.' });
  await t.rejects(askServer(dataDir, { ask: 'miss' }), { message: 'There is no "x". Check the name.' });
  await t.rejects(askServer(dataDir, { ask: 'constructor' }), {
    message: 'The running server does not know "constructor": it may be of another version',
  });
});

void t.test('a path too long for a socket is replaced by a short one, recorded in the directory', async (t) => {
  const dataDir = join(await folder(t), 'x'.repeat(100));
  const close = await openControl(dataDir, { echo: async (argument) => argument });
  t.match(sockets(dataDir), [/^[0-9a-f]{8}\.path$/]);
  t.match(await askServer(dataDir, { ask: 'echo', argument: 'far' }), { value: 'far' });
  await close();
  t.strictSame(sockets(dataDir), []);
});

void t.test('the socket of a killed server is removed by the next server; that of a live one is kept', async (t) => {
  const dataDir = await folder(t);
  const first = await openControl(dataDir, { who: async () => 'first' });
  t.teardown(first);
  const alive = sockets(dataDir);
  // A server that has ended: its socket file exists, but no process listens.
  const gone = createServer().listen(join(dataDir, 'gone'));
  await once(gone, 'listening');
  gone.close();
  writeFileSync(join(dataDir, 'run', 'dead.sock'), '');
  const second = await openControl(dataDir, { who: async () => 'second' });
  t.notOk(existsSync(join(dataDir, 'run', 'dead.sock')));
  t.equal(sockets(dataDir).length, 2);
  t.ok(alive.every((name) => sockets(dataDir).includes(name)));
  await second();
  t.match(await askServer(dataDir, { ask: 'who' }), { value: 'first' });
});

void t.test('invalid data on the socket has no effect', async (t) => {
  const dataDir = await folder(t);
  const close = await openControl(dataDir, { echo: async (argument) => argument });
  t.teardown(close);
  const [name = ''] = sockets(dataDir);
  for (const nonsense of ['not json\n', 'null\n', '{}\n', '']) {
    const socket = connect(join(dataDir, 'run', name));
    socket.resume();
    socket.end(nonsense);
    await once(socket, 'close');
  }
  t.match(await askServer(dataDir, { ask: 'echo', argument: 'still here' }), { value: 'still here' });
});
