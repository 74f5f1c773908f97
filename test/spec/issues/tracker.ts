// The starting point of specs of issues: two people, repositories of alice's, and functions that open issues.
import type { Test } from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import type { TestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';

export const repos = '/api/v1/repos';
export const nobody = '00000000-0000-4000-8000-0000000000ff';

const builtIn = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;
/** The ids of the built-in issue types. */
export const types = {
  epic: builtIn(1),
  story: builtIn(2),
  task: builtIn(3),
  analysis: builtIn(4),
  bug: builtIn(5),
  feature: builtIn(6),
  support: builtIn(7),
} as const;

export interface IssueJson {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly updated_at: string;
  readonly [member: string]: unknown;
}

export interface Tracker {
  readonly forge: TestForge;
  readonly alice: { readonly id: string; readonly client: Client };
  readonly bob: { readonly id: string; readonly client: Client };
  /** Creates a repository. @returns the path of its issues. */
  readonly repository: (name: string, record?: object) => Promise<string>;
  /** @throws {Error} if the answer is not 201. */
  readonly open: (issues: string, body?: object, client?: Client) => Promise<IssueJson>;
}

/** @throws {Error} if the answer has another status. */
export function expect(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`answered ${answer.status} instead of ${status}: ${answer.text}`);
}

export async function tracker(t: Test): Promise<Tracker> {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  return {
    forge,
    alice,
    bob,
    async repository(name, record = {}) {
      expect(await alice.client.post(repos, { body: { name, visibility: 'public' } }), 201);
      expect(await alice.client.patch(`${repos}/alice/${name}`, { body: record }), 200);
      return `${repos}/alice/${name}/issues`;
    },
    open: async (issues, body = {}, client = alice.client) =>
      expect(await client.post(issues, { body: { title: 'An issue', issue_type_id: types.task, ...body } }), 201)
        .body as IssueJson,
  };
}
