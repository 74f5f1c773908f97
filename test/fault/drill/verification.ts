// Compares everything that the clients changed, over the API and in the database, with their answers.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, Unhealed, wordsOf } from './load/client.ts';
import type { Promised } from './load/figures.ts';
import type { Records } from '../inspection.ts';
import type { Population } from './load/population.ts';
import { absent, type Finding } from './register.ts';
import type { Estate } from './load/workers.ts';

const lookingMs = 20_000;
const zeros = '0'.repeat(40);

/** @throws {Unhealed} */
export async function verify({
  estates,
  administrator,
  accounts,
}: Population): Promise<readonly (Finding | undefined)[]> {
  await Promise.all([administrator, ...estates.map(({ client }) => client)].map((client) => client.signIn()));
  const findings = await Promise.all(estates.map(estateFindings));
  const { users } = (await look(administrator, '/admin/users?q=made-&limit=500', administrator.session)) as {
    readonly users: readonly { readonly id: string; readonly username: string; readonly status: string }[];
  };
  const seen = new Map(users.map((user) => [user.username, user]));
  return [
    ...findings.flat(),
    ...[...accounts].map(([username, account]) => {
      const user = seen.get(username);
      account.id = user?.id ?? account.id;
      return account.register.observe(user?.status ?? absent);
    }),
  ];
}

async function estateFindings(estate: Estate): Promise<readonly (Finding | undefined)[]> {
  const { client, home, description, defaultBranch, refs, spares, collaborators, tokens } = estate;
  const record = (await look(client, `/repos/${home}`)) ?? {};
  const found: (Finding | undefined)[] = [
    description.observe(String(record['description'])),
    defaultBranch.observe(String(record['default_branch'])),
  ];
  const present = await refsOf(client, home);
  for (const [ref, register] of refs) found.push(register.observe(present.get(ref) ?? absent));
  for (const ref of present.keys())
    if (!refs.has(ref)) found.push({ kind: 'untrue', text: `${home} has ${ref}, which nobody made` });
  for (const [name, register] of spares)
    found.push(
      register.observe(((await look(client, `/repos/${client.username}/${name}`))?.['id'] as string) ?? absent),
    );
  const roles = new Map(
    (
      (await look(client, `/repos/${home}/collaborators`)) as unknown as readonly {
        readonly user: { readonly username: string };
        readonly role: string;
      }[]
    ).map(({ user, role }) => [user.username, role]),
  );
  for (const [username, { register }] of collaborators) found.push(register.observe(roles.get(username) ?? absent));
  const { items } = (await look(client, '/user/tokens?per_page=100', client.session)) as {
    readonly items: readonly { readonly id: string; readonly name: string }[];
  };
  const ids = new Map(items.map(({ id, name }) => [name, id]));
  for (const [name, token] of tokens) {
    found.push(token.register.observe(ids.get(name) ?? absent));
    if (token.secret === '') continue;
    const status = await statusWith(client, token.secret);
    if (status !== (token.register.certain === absent ? 401 : 200))
      found.push({ kind: token.revoked ? 'untrue' : 'lost', text: `token ${name} is answered with ${status}` });
    // A token that was rejected once is not checked again.
    if (token.revoked) token.secret = '';
  }
  return found;
}

/** Undefined if it does not exist. */
async function look(
  client: Client,
  path: string,
  credential?: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const until = Date.now() + lookingMs;
  for (;;) {
    const sent = await client.send('GET', path, undefined, credential);
    if (sent.outcome === 'answered' && sent.status === 200) return sent.body;
    if (sent.outcome === 'answered' && sent.status === 404) return undefined;
    if (Date.now() > until)
      throw new Unhealed(`GET ${path} ${sent.outcome === 'answered' ? `answers ${wordsOf(sent)}` : sent.outcome}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function statusWith(client: Client, secret: string): Promise<number> {
  const until = Date.now() + lookingMs;
  for (;;) {
    const sent = await client.send('GET', '/auth/me', undefined, secret);
    if (sent.outcome === 'answered' && sent.status < 500) return sent.status;
    if (Date.now() > until) throw new Unhealed(`GET /auth/me is ${sent.outcome}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function refsOf(client: Client, home: string): Promise<ReadonlyMap<string, string>> {
  const remote = `${client.url().replace('://', `://${client.username}:${client.token}@`)}/${home}.git`;
  const until = Date.now() + lookingMs;
  for (;;) {
    const { outcome, refs, stderr } = await client.git.refs(remote);
    if (outcome === 'done') return refs;
    if (Date.now() > until) throw new Unhealed(`git ls-remote ${home}: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Findings if the stored default branch is not git's HEAD. To be called when no intent is open. */
export async function headFindings(dataDir: string, estates: readonly Estate[]): Promise<readonly Finding[]> {
  const found = await Promise.all(
    estates.map(async ({ home, homeId, defaultBranch }): Promise<Finding[]> => {
      const path = join(dataDir, 'repositories', homeId.slice(0, 2), `${homeId}.git`, 'HEAD');
      const head = (await readFile(path, 'utf8')).trim();
      return head === `ref: refs/heads/${defaultBranch.certain}`
        ? []
        : [{ kind: 'untrue', text: `the default branch of ${home} is ${defaultBranch.certain}, git's "${head}"` }];
    }),
  );
  return found.flat();
}

/** Compares the database records with the answers to the clients; `estates` must be verified just before. */
export function recordFindings(
  { events, audit, intents }: Records,
  promised: readonly Promised[],
  estates: readonly Estate[],
): readonly Finding[] {
  const counts = new Map<string, number>();
  for (const key of [...events.flatMap(eventKeys), ...audit.flatMap(auditKeys)])
    counts.set(key, (counts.get(key) ?? 0) + 1);
  const open = new Set(intents.map(({ subject }) => subject));
  const settled = (key: string): boolean => ![...open].some((id) => key.includes(id));
  return [
    ...promised
      .filter(({ key }) => settled(key))
      .flatMap(({ key, least, most }): Finding[] => {
        const count = counts.get(key) ?? 0;
        if (count < least) return [{ kind: 'lost', text: `"${key}" is recorded ${count} times of ${least} times` }];
        if (count > most) return [{ kind: 'untrue', text: `"${key}" is recorded ${count} times, asked ${most} times` }];
        return [];
      }),
    ...estates.filter(({ homeId }) => !open.has(homeId)).flatMap((estate) => chainFindings(estate, events)),
  ];
}

/** Each event of a ref starts at the end of the one before, and the last one ends at the current value of the ref. */
function chainFindings({ home, homeId, refs, root }: Estate, events: Records['events']): readonly Finding[] {
  return [...refs].flatMap(([ref, register]): Finding[] => {
    let at = zeros;
    const moves = events.filter(
      ({ type, payload }) => type === 'push' && payload.repository_id === homeId && payload.ref === ref,
    );
    for (const { payload } of moves) {
      if (payload.old !== at)
        return [{ kind: 'untrue', text: `${home} ${ref}: an event begins at ${payload.old}, the last ended at ${at}` }];
      at = payload.new ?? zeros;
    }
    const stands = register.certain === absent ? zeros : (register.certain ?? root);
    return at === stands ? [] : [{ kind: 'lost', text: `${home} ${ref} stands at ${stands}, its events end at ${at}` }];
  });
}

type EventRow = Records['events'][number];

function eventKeys({ type, payload: told }: EventRow): readonly string[] {
  const payload = told as unknown as Readonly<Record<string, unknown>>;
  if (type === 'repository.updated')
    return (payload['changed'] as readonly string[]).map(
      (member) => `event ${type} ${String(payload['repository_id'])} ${member}`,
    );
  const about: Readonly<Record<string, readonly string[]>> = {
    'repository.created': ['name'],
    'repository.deleted': ['name'],
    'collaborator.added': ['repository_id', 'user_id'],
    'collaborator.removed': ['repository_id', 'user_id'],
    'branch.deleted': ['repository_id', 'branch'],
    'token.revoked': ['tokenId'],
    'user.created': ['username'],
    'user.suspended': ['username'],
    'user.reactivated': ['username'],
  };
  const members = about[type];
  return members === undefined ? [] : [['event', type, ...members.map((member) => String(payload[member]))].join(' ')];
}

function auditKeys({ action, resource, details }: Records['audit'][number]): readonly string[] {
  const id = resource.slice(resource.indexOf(':') + 1);
  const about: Readonly<Record<string, readonly unknown[]>> = {
    'repository.created': [details['name']],
    'repository.deleted': [details['name']],
    'collaborator.added': [id, details['user_id']],
    'collaborator.removed': [id, details['user_id']],
    'branch.deleted': [id, details['branch']],
    'tag.deleted': [id, details['tag']],
    'token.created': [details['name']],
    'token.revoked': [details['name']],
    'user.created': [details['username']],
    'user.suspended': [id],
  };
  const members = about[action];
  return members === undefined ? [] : [['audit', action, ...members.map(String)].join(' ')];
}
