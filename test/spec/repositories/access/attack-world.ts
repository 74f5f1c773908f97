// Shared setup of the suites of attacks: two people, a work tree, and requests with unnormalized paths.
import { request } from 'node:http';
import type { Answer } from '#test/support/clients/client';
import type { TestForge, TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';

export const repos = '/api/v1/repos';
export type Teardown = { teardown(work: () => void | Promise<void>): unknown };
export interface World {
  readonly forge: TestForge;
  readonly alice: TestUser;
  readonly bob: TestUser;
  readonly work: StockGit;
  readonly tip: string;
  push(repository: string, ...refs: readonly string[]): Promise<void>;
}

export const must = (answer: Answer, ...statuses: readonly number[]): Answer => {
  if (!statuses.includes(answer.status)) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return answer;
};
export const make = (user: TestUser, name: string, visibility = 'private') =>
  user.client.post(repos, { body: { name, visibility } }).then((answer) => must(answer, 201));
export const give = (user: TestUser, repository: string, username: string, role: string) =>
  user.client
    .put(`${repos}/${user.username}/${repository}/collaborators/${username}`, { body: { role } })
    .then((answer) => must(answer, 204));

/** alice and bob, and a work tree with one commit on main. */
export async function world(t: Teardown): Promise<World> {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  const work = await workTree(await stockGit(t), 'work');
  const tip = await work.commit('One', { 'README.md': '# One\n', 'src/a.txt': 'a\n' });
  return {
    forge,
    alice,
    bob,
    work,
    tip,
    async push(repository, ...refs) {
      await work.git(
        'push',
        '--quiet',
        remote(forge.url, repository, repository.startsWith('alice/') ? alice : bob),
        ...refs,
      );
    },
  };
}

/** Sends the path unchanged; `fetch` would resolve its dots. */
export const bare = (forge: TestForge, path: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(forge.url);
    request({ hostname, port, path, agent: false }, (answer) => {
      let text = '';
      answer
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk;
        })
        .on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end();
  });

/** The paths of the reading routes at one commit or branch. */
export const reading = (at: string): readonly string[] => [
  `/commits?ref=${at}`,
  `/commits/${at}`,
  `/contents/README.md?ref=${at}`,
  `/contents?ref=${at}`,
  `/raw/${at}/README.md`,
  `/blame/${at}/README.md`,
  `/archive/${at}.zip`,
  `/archive/${at}.tar.gz`,
  `/compare/main...${at}`,
  `/compare/${at}...main`,
];
