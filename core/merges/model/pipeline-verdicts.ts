// The optional port by which merge requests read the results of pipelines, and the rule that requires a successful
// pipeline.
import { Conflict } from '#core/kernel/errors';
import { declarePort } from '#core/kernel/ports';
import type { Oid, Protection } from '#core/repositories/index';

/** The state of the newest pipeline of a commit; `none` if it has no pipeline. */
export const pipelineVerdicts = ['none', 'pending', 'running', 'success', 'failed', 'cancelled'] as const;
/** One of `pipelineVerdicts`. */
export type PipelineVerdict = (typeof pipelineVerdicts)[number];

/** Implemented by a plugin that runs pipelines. Without a provider, commits have no pipelines. */
export interface PipelineVerdicts {
  /**
   * Reads the verdicts of all given commits in a fixed number of queries. Commits without a pipeline may be missing.
   */
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

/** The verdict of each commit; `none` if it has no pipeline or there is no provider. */
export async function verdictsOf(
  provider: PipelineVerdicts | undefined,
  repositoryId: string,
  commits: readonly Oid[],
): Promise<(commit: Oid) => PipelineVerdict> {
  const known = commits.length === 0 ? undefined : await provider?.verdicts(repositoryId, [...new Set(commits)]);
  return (commit) => known?.get(commit) ?? 'none';
}

/** Maps a verdict to the code of the rule that it violates, and to the advice for the user. */
const refusals = {
  none: ['pipeline_missing', 'Let a pipeline of the source run'],
  pending: ['pipeline_pending', 'Wait for the pipeline to succeed'],
  running: ['pipeline_pending', 'Wait for the pipeline to succeed'],
  failed: ['pipeline_failed', 'Mend what the pipeline says, or let it run again'],
  cancelled: ['pipeline_failed', 'Let the pipeline run again'],
} as const;

/** Why the rule that requires a pipeline is violated, and how the user can meet it. */
export interface PipelineRefusal {
  readonly code: 'pipeline_missing' | 'pipeline_pending' | 'pipeline_failed';
  readonly detail: string;
}

/**
 * Undefined if the rule is met.
 * @param moment whether the request is opened or merged; the protection can require a pipeline for each.
 */
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
