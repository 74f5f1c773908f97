// Contract checks for KeptRequests: the open merge requests from other repositories into one repository.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { KeptRequest, KeptRequests } from '#core/repositories/index';
import type { Check } from './checks.ts';

export interface KeptRequestsUnderTest {
  readonly requests: KeptRequests;
  /** A repository with at least two open requests from a fork, and all of them in any order. */
  readonly known: { readonly repositoryId: string; readonly kept: readonly KeptRequest[] };
}

const byId = ({ requestId: left }: KeptRequest, { requestId: right }: KeptRequest): number =>
  left < right ? -1 : left > right ? 1 : 0;

export const keptRequestsChecks: readonly Check<KeptRequestsUnderTest>[] = [
  {
    name: 'returns the requests into a repository with their authors and commits, sorted by id',
    async run({ requests, known: { repositoryId, kept } }) {
      assert.deepEqual(await requests.into(repositoryId, undefined, 1000), [...kept].sort(byId));
      assert.deepEqual(await requests.into(randomUUID(), undefined, 1000), []);
    },
  },
  {
    name: 'pages by the last id and the limit',
    async run({ requests, known: { repositoryId, kept } }) {
      const [first, ...rest] = [...kept].sort(byId);
      assert.deepEqual(await requests.into(repositoryId, undefined, 1), [first]);
      assert.deepEqual(await requests.into(repositoryId, first?.requestId, 1000), rest);
    },
  },
];
