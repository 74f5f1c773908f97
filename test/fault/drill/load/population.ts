// The clients of a drill: an administrator and a few accounts, each with a repository that is changed over git and the
// API.
import { join } from 'node:path';
import { ChurnGit } from '../../churn-git.ts';
import { Client, patienceMs } from './client.ts';
import type { Figures } from './figures.ts';
import { absent, Register } from '../register.ts';
import {
  AdministratorWorker,
  GitWorker,
  randomFrom,
  RestWorker,
  type Accounts,
  type Estate,
  type Worker,
} from './workers.ts';

const names = ['ada', 'ben', 'cleo'] as const;
const slots = { spare: 4, work: 3, mark: 3, rest: 3 };

export interface Population {
  readonly administrator: Client;
  readonly accounts: Accounts;
  readonly estates: readonly Estate[];
  readonly workers: readonly Worker[];
}

export interface Surroundings {
  readonly root: string;
  /** The server of the client with this number. */
  readonly url: (number: number) => string;
  readonly figures: Figures;
  readonly seed: number;
}

/** Creates the accounts on an empty running forge. */
export async function populate({ root, url, figures, seed }: Surroundings): Promise<Population> {
  const newClient = async (username: string, number: number, password?: string): Promise<Client> =>
    new Client({
      username,
      figures,
      url: () => url(number),
      // A git command has the same time limit as a request.
      git: await ChurnGit.create(join(root, 'clients', username), username, patienceMs / 1000),
      ...(password !== undefined && { password }),
    });
  const administrator = await newClient('admin', 0);
  await administrator.signIn();
  const estates = await Promise.all(
    names.map(async (username, index) => {
      const password = `password of ${username}`;
      const client = await newClient(username, index, password);
      const user = { username, email: `${username}@example.org`, password };
      await administrator.sure('POST', '/admin/users', user, administrator.session);
      await client.signIn();
      return furnish(client);
    }),
  );
  for (const [index, { client }] of estates.entries()) {
    const collaborators = estates[index]?.collaborators as Map<string, { id: string; register: Register }>;
    for (const other of names.filter((name) => name !== client.username)) {
      const { id } = await client.sure('GET', `/users/${other}`);
      collaborators.set(other, { id: String(id), register: new Register(`${other} in ${client.username}/home`) });
    }
  }
  const accounts: Accounts = new Map();
  return {
    administrator,
    accounts,
    estates,
    workers: [
      new AdministratorWorker(administrator, accounts, randomFrom(seed)),
      ...estates.flatMap((estate, index) => [
        new RestWorker(estate, randomFrom(seed + 2 * index + 1)),
        new GitWorker(estate, randomFrom(seed + 2 * index + 2)),
      ]),
    ],
  };
}

/** Creates a token, a repository with two permanent branches, and one branch that rejects all pushes. */
async function furnish(client: Client): Promise<Estate> {
  const { username } = client;
  const scopes = ['repo:admin'];
  const { token } = await client.sure('POST', '/user/tokens', { name: 'work', scopes }, client.session);
  client.token = String(token);
  const home = `${username}/home`;
  const { id } = await client.sure('POST', '/repos', { name: 'home' });
  const root = await client.git.commit('root', []);
  const branches = ['main', 'trunk', 'written', 'locked'];
  await client.git.sure(
    'push',
    '-q',
    `${client.url().replace('://', `://${username}:${client.token}@`)}/${home}.git`,
    ...branches.map((branch) => `${root}:refs/heads/${branch}`),
  );
  await client.sure('PUT', `/repos/${home}/branches/locked/protection`, { push_roles: [] });
  const numbered = (prefix: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, number) => `${prefix}-${number}`);
  const refs = new Map(branches.map((branch) => [`refs/heads/${branch}`, root]));
  for (const ref of [
    ...numbered('refs/heads/work', slots.work),
    ...numbered('refs/tags/mark', slots.mark),
    ...numbered('refs/heads/rest', slots.rest),
    ...numbered('refs/tags/rest', slots.rest),
  ])
    refs.set(ref, absent);
  return {
    client,
    home,
    homeId: String(id),
    root,
    description: new Register(`description of ${home}`, ''),
    defaultBranch: new Register(`default branch of ${home}`, 'main'),
    refs: new Map([...refs].map(([ref, state]) => [ref, new Register(`${home} ${ref}`, state)])),
    spares: new Map(
      numbered(`spare-${username}`, slots.spare).map((name) => [name, new Register(`repository ${username}/${name}`)]),
    ),
    collaborators: new Map(),
    tokens: new Map(),
  };
}
