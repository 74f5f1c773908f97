// The socket between the command line and a server that runs.
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { askServer, openControl } from '#host/control';

/** testdir paths may be too long for a socket already. */
async function folder(t: { teardown(work: () => Promise<void>): unknown }): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hf-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

const sockets = (dataDir: string): readonly string[] => readdirSync(join(dataDir, 'run'));

void t.test('a question is answered, for the owner of the directory alone', async (t) => {
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
  t.equal(await askServer(dataDir, { ask: 'echo' }), undefined, 'no server, no answer');
});

void t.test('without a server there is no answer, whatever the directory', async (t) => {
  t.equal(await askServer(await folder(t), { ask: 'echo' }), undefined);
  t.equal(await askServer('/nonexistent', { ask: 'echo' }), undefined);
});

void t.test('what a server refuses is told in its words, and an unknown question is refused', async (t) => {
  const dataDir = await folder(t);
  const close = await openControl(dataDir, {
    fail: async () => {
      throw new Error('There is no account "x"');
    },
  });
  t.teardown(close);
  await t.rejects(askServer(dataDir, { ask: 'fail' }), { message: 'There is no account "x"' });
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

void t.test('a socket that a killed server left is removed by the next; that of a living one stays', async (t) => {
  const dataDir = await folder(t);
  const first = await openControl(dataDir, { who: async () => 'first' });
  t.teardown(first);
  const alive = sockets(dataDir);
  // A server that is gone: its name is in the directory and nobody listens.
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

void t.test('nonsense on the socket harms nobody', async (t) => {
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
