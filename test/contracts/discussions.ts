// Contract checks for the ports Issues and MergeRequests: reading numbered things of a repository, and commenting.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Call, User } from '#core/kernel/caller';
import { NotFound, Unauthorized, ValidationFailed } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import type { Check } from './checks.ts';

interface At {
  readonly repositoryId: string;
  readonly number: number;
}
interface Comment {
  readonly id: string;
  readonly authorId: string;
  readonly body: string;
}

/** The common part of both ports. */
export interface Discussions {
  list(call: Call, wanted: { repositoryId: string; page?: PageRequest }): Promise<Page<{ readonly number: number }>>;
  fetch(call: Call, at: At): Promise<{ readonly number: number }>;
  comments(call: Call, at: At & { readonly page?: PageRequest }): Promise<readonly Comment[]>;
  comment(call: Call<User>, comment: At & { readonly body: string }): Promise<Comment>;
}

export interface DiscussionsUnderTest<D extends Discussions = Discussions> {
  readonly port: D;
  /** Of a user who may read the repository and comment. */
  readonly call: Call<User>;
  /** Of a user who may not read the repository. */
  readonly stranger: Call<User>;
  /** An issue or merge request of a private repository. */
  readonly known: At;
}

/** Each method, as a request about one thing. */
const requests = ({ port }: DiscussionsUnderTest, call: Call<User>, at: At): readonly (() => Promise<unknown>)[] => [
  () => port.fetch(call, at),
  () => port.comments(call, at),
  () => port.comment(call, { ...at, body: 'A text' }),
];

export const discussionChecks: readonly Check<DiscussionsUnderTest>[] = [
  {
    name: 'lists and fetches what the caller may read, in pages of at most 100',
    async run({ port, call, known }) {
      const { repositoryId, number } = known;
      assert.equal((await port.fetch(call, known)).number, number);
      const { items, total } = await port.list(call, { repositoryId });
      assert.ok(items.some((item) => item.number === number));
      assert.ok(total >= items.length);
      const beyond = await port.list(call, { repositoryId, page: { page: total + 1, perPage: 1 } });
      assert.deepEqual([beyond.items, beyond.total], [[], total]);
      for (const perPage of [1_000_000, Number.NaN, -1]) {
        const page = await port.list(call, { repositoryId, page: { page: 1, perPage } });
        assert.ok(page.perPage >= 1 && page.perPage <= 100, String(perPage));
      }
    },
  },
  {
    name: 'a comment is by the caller, and is listed after the earlier ones',
    async run({ port, call, known }) {
      const body = `Looks good to ${call.caller.username} (${randomUUID()})`;
      const made = await port.comment(call, { ...known, body });
      assert.deepEqual([made.authorId, made.body], [call.caller.id, body]);
      const { id: later } = await port.comment(call, { ...known, body: 'And now?' });
      const ids = (await port.comments(call, known)).map(({ id }) => id);
      assert.ok(ids.indexOf(made.id) >= 0 && ids.indexOf(made.id) < ids.indexOf(later));
    },
  },
  {
    name: 'what the caller may not read is NotFound, like a missing repository or number',
    async run(under) {
      const { port, call, stranger, known } = under;
      for (const attempt of requests(under, stranger, known)) await assert.rejects(attempt, NotFound);
      await assert.rejects(port.list(stranger, known), NotFound);
      const missing: readonly At[] = [
        ...[randomUUID(), 'none', ''].map((repositoryId) => ({ ...known, repositoryId })),
        ...[0, -1, 1.5, Number.NaN, 2 ** 31, 2 ** 53].map((number) => ({ ...known, number })),
      ];
      for (const at of missing)
        for (const attempt of requests(under, call, at)) await assert.rejects(attempt, NotFound, JSON.stringify(at));
    },
  },
  {
    name: 'a text that is blank, too long or cannot be stored is ValidationFailed',
    async run({ port, call, known }) {
      for (const body of [' \n', 'x'.repeat(65_537), 'a\0b', '\ud800'])
        await assert.rejects(port.comment(call, { ...known, body }), ValidationFailed);
    },
  },
  {
    name: 'the caller is authenticated again by each method',
    async run(under) {
      const { port, call, known } = under;
      const ended: Call<User> = {
        ...call,
        renew: async () => {
          throw new Unauthorized('The credential is not valid');
        },
      };
      for (const attempt of requests(under, ended, known)) await assert.rejects(attempt, Unauthorized);
      await assert.rejects(port.list(ended, known), Unauthorized);
    },
  },
];
