// Replies and statements that are lost between a server and PostgreSQL: each push, file, branch and tag is answered as
// what it came to, and recorded once within a minute.
// Usage: node test/fault/lost-replies.ts --database-url URL [--rounds 20]. The database must be empty.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { MikroORM } from '@mikro-orm/postgresql';
import { replyLosingProxy } from '#test/support/reply-losing-proxy';
import { freePort, ServerProcess } from '#test/support/server-process';
import { call, createToken, signIn } from './traffic.ts';

const { values } = parseArgs({
  options: { 'database-url': { type: 'string' }, rounds: { type: 'string', default: '20' } },
});
const databaseUrl = values['database-url'];
if (databaseUrl === undefined) throw new Error('--database-url is needed: replies of a PostgreSQL are lost');
const root = await mkdtemp(join(tmpdir(), 'hexforge-lost-'));
const dataDir = join(root, 'data');
const work = join(root, 'work');
await mkdir(dataDir, { mode: 0o700 });
await mkdir(work);
const proxy = await replyLosingProxy(databaseUrl);
const orm = await MikroORM.init({ clientUrl: databaseUrl, entities: [], discovery: { warnWhenNoEntities: false } });
const query = (sql: string): Promise<Record<string, unknown>[]> => orm.em.getConnection().execute(sql);
const server = await ServerProcess.start({ dataDir, databaseUrl: proxy.url, port: await freePort() });
const token = await createToken(server.url, await signIn(server.url));
const repository = '/api/v1/repos/admin/lost';
const created = await call(server.url, 'POST', '/api/v1/repos', token, { name: 'lost' });
if (created.status !== 201) throw new Error(`the repository was not created: ${created.status}`);

const git = async (...args: readonly string[]): Promise<{ readonly ok: boolean; readonly said: string }> => {
  try {
    const { stdout, stderr } = await promisify(execFile)('git', ['-C', work, ...args], {
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@b',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@b',
      },
    });
    return { ok: true, said: `${stdout}${stderr}` };
  } catch (error) {
    return { ok: false, said: (error as { readonly stderr: string }).stderr };
  }
};
await git('init', '-q', '-b', 'main', '.');
await git('remote', 'add', 'origin', `${server.url.replace('://', `://admin:${token}@`)}/admin/lost.git`);
await git('commit', '-q', '--allow-empty', '-m', 'first');
await git('push', '-q', 'origin', 'main');

/** What stands there now, asked of the server's own disk. */
async function refs(): Promise<ReadonlyMap<string, string>> {
  const { said } = await git('ls-remote', 'origin');
  return new Map(
    said
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [oid = '', ref = ''] = line.split('\t');
        return ref.startsWith('refs/') ? [[ref, oid] as const] : [];
      }),
  );
}

/** Each is named by the ref that it moves, and says whether it was told that it did. */
const changes: readonly ((
  round: number,
) => Promise<{ readonly ref: string; readonly told: boolean; readonly said: string }>)[] = [
  async (round) => {
    await git('commit', '-q', '--allow-empty', '-m', `commit ${round}`);
    const { ok, said } = await git('push', 'origin', `HEAD:refs/heads/pushed-${round}`);
    return { ref: `refs/heads/pushed-${round}`, told: ok, said };
  },
  async (round) => {
    const { status, body } = await call(server.url, 'PUT', `${repository}/contents/file-${round}`, token, {
      message: 'Write',
      content: Buffer.from(String(round)).toString('base64'),
    });
    return { ref: 'refs/heads/main', told: status === 201, said: `${status} ${JSON.stringify(body)}` };
  },
  async (round) => {
    const { status, body } = await call(server.url, 'POST', `${repository}/branches`, token, { name: `made-${round}` });
    return { ref: `refs/heads/made-${round}`, told: status === 201, said: `${status} ${JSON.stringify(body)}` };
  },
  async (round) => {
    const { status, body } = await call(server.url, 'POST', `${repository}/tags`, token, { name: `tag-${round}` });
    return { ref: `refs/tags/tag-${round}`, told: status === 201, said: `${status} ${JSON.stringify(body)}` };
  },
];
const losses = [
  ['lose', 'commit'],
  ['drop', 'commit'],
  ['lose', 'insert into "hexforge_intent"'],
  ['drop', 'insert into "hexforge_intent"'],
  ['lose', 'insert into "hexforge_event"'],
  ['drop', 'begin'],
] as const;

const faults: string[] = [];
const moves: string[] = [];
let lost = 0;
let refused = 0;
let before = await refs();
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const change of changes) {
    const [what, statement] = losses[(round + changes.indexOf(change)) % losses.length] ?? losses[0];
    proxy.forget();
    proxy[what](statement);
    const { ref, told, said } = await change(round);
    if (proxy.left === 0) lost += 1;
    proxy.forget();
    const after = await refs();
    const moved = before.get(ref) !== after.get(ref);
    if (moved) moves.push(`${ref} ${after.get(ref)}`);
    if (!told) refused += 1;
    if (moved !== told)
      faults.push(`${what} ${statement}: ${ref} ${moved ? 'moved' : 'did not move'}, and was told: ${said}`);
    before = after;
  }
}

for (let waited = 0; waited < 75; waited += 1) {
  if ((await query('select 1 from hexforge_intent')).length === 0) break;
  await pause(1000);
}
const open = await query('select kind, detail from hexforge_intent');
faults.push(...open.map((row) => `an intent is still open: ${JSON.stringify(row)}`));
const events = await query("select payload from hexforge_event where type = 'push'");
const told = events.map(({ payload }) => {
  const { ref, new: next } = JSON.parse(String(payload)) as { readonly ref: string; readonly new: string };
  return `${ref} ${next}`;
});
for (const move of moves) {
  const times = told.filter((each) => each === move).length;
  if (times !== 1) faults.push(`${move} is recorded ${times} times`);
}
if (told.length !== moves.length + 1) faults.push(`${told.length} events of ${moves.length + 1} moves`);

server.signal('SIGTERM');
await server.ended();
await orm.close(true);
await proxy.close();
await rm(root, { recursive: true, force: true });
process.stdout.write(`${moves.length} moves, ${refused} refusals, ${lost} statements or replies lost\n`);
for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`);
process.stdout.write(faults.length === 0 ? 'nothing untrue was told\n' : `${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
