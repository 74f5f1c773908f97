// The contract of PipelineVerdicts: what is known of a batch of commits, and nothing of others.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { PipelineVerdict, PipelineVerdicts } from '#core/merges/index';
import type { Check } from './checks.ts';

export interface PipelineVerdictsUnderTest {
  readonly pipelines: PipelineVerdicts;
  /** A commit with a pipeline, and what is known of it. */
  readonly known: { readonly repositoryId: string; readonly commit: string; readonly verdict: PipelineVerdict };
}

const unknown = 'f'.repeat(40);

export const pipelineVerdictsChecks: readonly Check<PipelineVerdictsUnderTest>[] = [
  {
    name: 'the verdict of a commit is found among others; one without a pipeline is missing or "none"',
    async run({ pipelines, known: { repositoryId, commit, verdict } }) {
      const found = await pipelines.verdicts(repositoryId, [unknown, commit]);
      assert.equal(found.get(commit), verdict);
      assert.equal(found.get(unknown) ?? 'none', 'none');
      assert.equal((await pipelines.verdicts(repositoryId, [])).size, 0);
    },
  },
  {
    name: 'a pipeline counts in its own repository alone',
    async run({ pipelines, known: { commit } }) {
      assert.equal((await pipelines.verdicts(randomUUID(), [commit])).get(commit) ?? 'none', 'none');
    },
  },
];
