// Tests of parsing the output of git push: done, refused with words, not sent, or unknown.
import { t } from 'tap';
import { toldOf } from './push-report.ts';

const oid = '1'.repeat(40);
const line = (flag: string, ref: string, summary: string): string => `${flag}\t${oid}:${ref}\t${summary}\n`;

void t.test('each ref of an answered push has its own outcome', async (t) => {
  const ran = {
    code: 1,
    stdout: `To http://host/ada/home.git\n${line('*', 'refs/heads/new', '[new branch]')}${line('!', 'refs/heads/locked', '[remote rejected] (hook declined)')}${line('!', 'refs/heads/old', '[rejected] (non-fast-forward)')}${line('!', 'refs/heads/mute', '[remote failure] (remote failed to report status)')}Done\n`,
    stderr: 'error: failed to push some refs to host\n',
  };
  t.strictSame(toldOf(ran, 'refs/heads/new'), { outcome: 'done' });
  t.strictSame(toldOf(ran, 'refs/heads/locked'), { outcome: 'refused', words: 'hook declined' });
  t.strictSame(toldOf(ran, 'refs/heads/old'), { outcome: 'unreached' });
  t.strictSame(toldOf(ran, 'refs/heads/mute'), { outcome: 'open' });
});

void t.test('the outcome of a rejected pack has the message of git', async (t) => {
  const ran = {
    code: 1,
    stdout: line('!', 'refs/heads/new', '[remote rejected] (unpacker error)'),
    stderr: 'error: remote unpack failed: unable to create temporary object directory\n',
  };
  t.strictSame(toldOf(ran, 'refs/heads/new'), {
    outcome: 'refused',
    words: 'unpacker error: unable to create temporary object directory',
  });
});

void t.test('a ref that already has the value is not listed, and is done', async (t) => {
  t.strictSame(toldOf({ code: 0, stdout: 'Done\n', stderr: '' }, 'refs/heads/same'), { outcome: 'done' });
});

void t.test('an interrupted push is unknown, unless it was never sent', async (t) => {
  const broke = (stderr: string) => toldOf({ code: 1, stdout: '', stderr }, 'refs/heads/new');
  for (const stderr of [
    'error: RPC failed; curl 52 Empty reply from server\nfatal: the remote end hung up unexpectedly\n',
    'error: RPC failed; HTTP 401 curl 7 Failed to connect\n',
    'send-pack: unexpected disconnect while reading sideband packet\n',
    '\nno end after 10 s',
  ])
    t.strictSame(broke(stderr), { outcome: 'open' }, stderr);
  for (const stderr of [
    "fatal: unable to access 'http://host/ada/home.git/': Failed to connect to host\n",
    "fatal: Authentication failed for 'http://host/ada/home.git/'\n",
  ])
    t.strictSame(broke(stderr), { outcome: 'unreached' }, stderr);
  t.strictSame(
    broke('error: RPC failed; HTTP 503 curl 22 The requested URL returned error: 503\n'),
    { outcome: 'refused', words: 'HTTP 503' },
    'an answer is a rejection',
  );
});
