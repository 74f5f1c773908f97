// Contract checks for PipelineVerdicts: the verdicts of a batch of commits of one repository.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { PipelineVerdict, PipelineVerdicts } from '#core/merges/index';
import type { Check } from './checks.ts';

export interface PipelineVerdictsUnderTest {
  readonly pipelines: PipelineVerdicts;
  /** A commit with a pipeline, and its verdict. */
  readonly known: { readonly repositoryId: string; readonly commit: string; readonly verdict: PipelineVerdict };
}

const unknown = 'f'.repeat(40);

export const pipelineVerdictsChecks: readonly Check<PipelineVerdictsUnderTest>[] = [
  {
    name: 'returns the verdict of a commit in a batch; a commit without a pipeline is missing or "none"',
    async run({ pipelines, known: { repositoryId, commit, verdict } }) {
      const found = await pipelines.verdicts(repositoryId, [unknown, commit]);
      assert.equal(found.get(commit), verdict);
      assert.equal(found.get(unknown) ?? 'none', 'none');
      assert.equal((await pipelines.verdicts(repositoryId, [])).size, 0);
    },
  },
  {
    name: 'a pipeline counts only in its own repository',
    async run({ pipelines, known: { commit } }) {
      assert.equal((await pipelines.verdicts(randomUUID(), [commit])).get(commit) ?? 'none', 'none');
    },
  },
];
