// What pipelines say of commits: the optional port that merge requests ask, and what a rule that requires one refuses.
import { Conflict } from '#core/kernel/errors';
import { declarePort } from '#core/kernel/ports';
import type { Oid, Protection } from '#core/repositories/index';

/** State of the newest pipeline of a commit (document D, "CI"); `none` where there is none. */
export const pipelineVerdicts = ['none', 'pending', 'running', 'success', 'failed', 'cancelled'] as const;
/** One of `pipelineVerdicts`. */
export type PipelineVerdict = (typeof pipelineVerdicts)[number];

/** Whoever runs pipelines. Where nobody does, no commit has one. */
export interface PipelineVerdicts {
  /** Of all these commits, in as many queries as of one; those without a pipeline may be missing. */
  verdicts(repositoryId: string, commits: readonly Oid[]): Promise<ReadonlyMap<Oid, PipelineVerdict>>;
}

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    PipelineVerdicts: PipelineVerdicts;
  }
}

declarePort('PipelineVerdicts', {
  arity: 'optional',
  component: 'verdicts of pipelines',
  critical: false,
  absent: 'degraded',
});

/** Of each commit; `none` where there is no pipeline, or nobody to ask. */
export async function verdictsOf(
  provider: PipelineVerdicts | undefined,
  repositoryId: string,
  commits: readonly Oid[],
): Promise<(commit: Oid) => PipelineVerdict> {
  const known = commits.length === 0 ? undefined : await provider?.verdicts(repositoryId, [...new Set(commits)]);
  return (commit) => known?.get(commit) ?? 'none';
}

/** Verdict → the code of a rule that requires a pipeline (document D, "Repositories"), and what would lift it. */
const refusals = {
  none: ['pipeline_missing', 'Let a pipeline of the source run'],
  pending: ['pipeline_pending', 'Wait for the pipeline to succeed'],
  running: ['pipeline_pending', 'Wait for the pipeline to succeed'],
  failed: ['pipeline_failed', 'Mend what the pipeline says, or let it run again'],
  cancelled: ['pipeline_failed', 'Let the pipeline run again'],
} as const;

/** Why a rule that requires a pipeline is not met, and what would lift it. Undefined where it is. */
export interface PipelineRefusal {
  readonly code: 'pipeline_missing' | 'pipeline_pending' | 'pipeline_failed';
  readonly detail: string;
}

/** @param moment of the request that the protection of the target may require a pipeline for. */
export function pipelineRefusal(
  protection: Pick<Protection, 'requiredPipeline'> | undefined,
  moment: keyof Protection['requiredPipeline'],
  verdict: PipelineVerdict,
): PipelineRefusal | undefined {
  if (protection?.requiredPipeline[moment] !== true || verdict === 'success') return undefined;
  const [code, detail] = refusals[verdict];
  return { code, detail };
}

/** @throws {Conflict} with the code of the rule. */
export function checkPipeline(...asked: Parameters<typeof pipelineRefusal>): void {
  const refusal = pipelineRefusal(...asked);
  if (refusal !== undefined) throw new Conflict('The target branch requires a pipeline that succeeds', { ...refusal });
}
