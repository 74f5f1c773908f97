// The starting point of specs of merge requests: two people, repositories with branches to merge, and functions that
// open requests.
import type { Test } from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import type { TestForge, TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';

export const repos = '/api/v1/repos';
export const nobody = '00000000-0000-4000-8000-0000000000ff';

export interface MergeJson {
  readonly id: string;
  readonly number: number;
  readonly state: string;
  readonly title: string;
  readonly updated_at: string;
  readonly [member: string]: unknown;
}

/** @throws {Error} if the answer has another status. */
export function expect(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`answered ${answer.status} instead of ${status}: ${answer.text}`);
}

/** Writes a file to an existing branch. @returns the new tip. */
export async function commit(client: Client, repository: string, branch: string, name: string): Promise<string> {
  const answer = await client.put(`${repository}/contents/${name}`, {
    body: { message: `Add ${name}`, branch, content: Buffer.from(`${name}\n`).toString('base64') },
  });
  return (expect(answer, 201).body as { readonly commit: { readonly sha: string } }).commit.sha;
}

/** Creates a branch of another one with a commit that adds a file of its name. @returns its tip. */
export async function branch(client: Client, repository: string, name: string, from = 'main'): Promise<string> {
  expect(await client.post(`${repository}/branches`, { body: { name, base_ref: from } }), 201);
  return commit(client, repository, name, `${name.replaceAll('/', '-')}.txt`);
}

export interface Workshop {
  readonly forge: TestForge;
  readonly alice: TestUser;
  readonly bob: TestUser;
  /**
   * Creates a repository of alice's with a commit on `main` and the branch `topic` one commit ahead. @returns its path.
   */
  readonly repository: (name: string, visibility?: string) => Promise<string>;
  /** Creates bob's fork of a repository, with the branch `fix` one commit ahead. @returns the path of the fork. */
  readonly fork: (repository: string, record?: object) => Promise<string>;
  /** @throws {Error} if the answer is not 201. */
  readonly open: (repository: string, body?: object, client?: Client) => Promise<MergeJson>;
  readonly fetch: (repository: string, number: number, client?: Client) => Promise<MergeJson>;
  /** Resolves when every subscription has handled all events so far. */
  readonly settled: () => Promise<void>;
}

export async function workshop(t: Test, forge?: TestForge): Promise<Workshop> {
  const own = forge ?? (await sharedForge(t));
  const [alice, bob] = [await own.createUser('alice'), await own.createUser('bob')];
  return {
    forge: own,
    alice,
    bob,
    async repository(name, visibility = 'public') {
      expect(await alice.client.post(repos, { body: { name, visibility } }), 201);
      const path = `${repos}/alice/${name}`;
      await commit(alice.client, path, 'main', 'README.md');
      await branch(alice.client, path, 'topic');
      return path;
    },
    async fork(repository, record = {}) {
      const answer = expect(await bob.client.post(`${repository}/forks`, { body: record }), 201);
      const path = `${repos}/bob/${(answer.body as { readonly name: string }).name}`;
      await branch(bob.client, path, 'fix');
      return path;
    },
    open: async (repository, body = {}, client = alice.client) =>
      expect(
        await client.post(`${repository}/merges`, {
          body: { title: 'A request', source_branch: 'topic', target_branch: 'main', ...body },
        }),
        201,
      ).body as MergeJson,
    fetch: async (repository, number, client = alice.client) =>
      expect(await client.get(`${repository}/merges/${number}`), 200).body as MergeJson,
    settled: () => own.forge.drained(),
  };
}
