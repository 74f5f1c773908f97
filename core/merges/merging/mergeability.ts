// Explains whether a merge request can be merged: every rule that blocks it, and whether git finds a conflict.
import { HexforgeError } from '#core/kernel/errors';
import { within } from '#core/kernel/limits/within';
import type { MergeStrategy, Oid } from '#core/repositories/index';
import { settledRequest, type Reading } from '../model/held-request.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import { conflictRule, outlookOf, type MergeRule } from './merge-rules.ts';
import type { MergeParts } from '../model/parts.ts';

/** `checking`: git has no result yet. */
export const mergeabilityStates = ['clean', 'conflict', 'blocked', 'checking'] as const;

/** Whether a merge request can be merged now, and which rules block it. */
export interface Mergeability {
  readonly state: (typeof mergeabilityStates)[number];
  /** Sorted paths. */
  readonly conflicts: readonly string[];
  readonly rules: readonly MergeRule[];
  /** Whether git has looked for conflicts. */
  readonly isChecked: boolean;
}

type Parts = Pick<MergeParts, 'store' | 'settling' | 'git' | 'reviews' | 'repositories' | 'users' | 'pipelines'>;

/** The result of git. Undefined if git has no result yet. */
type Said = { readonly conflicts: readonly string[]; readonly rules: readonly MergeRule[] } | undefined;

/** @throws {NotFound} */
export const mergeability =
  (parts: Parts) =>
  async (
    { resource, call }: Reading,
    { number, strategy }: { readonly number: number; readonly strategy: MergeStrategy },
  ): Promise<Mergeability> => {
    const request = await settledRequest(parts, resource, number, call.signal);
    const { rules, source, target } = await outlookOf(parts, resource, request);
    const said =
      request.state !== 'open' || source === undefined || target === undefined
        ? { conflicts: [], rules: [] }
        : await askGit(parts, request, { source, target, strategy }, call.signal);
    const all = [...rules, ...(said?.rules ?? [])];
    const state =
      said !== undefined && said.rules.includes(conflictRule)
        ? 'conflict'
        : all.length > 0
          ? 'blocked'
          : said === undefined
            ? 'checking'
            : 'clean';
    const isChecked = said !== undefined && source !== undefined && target !== undefined && request.state === 'open';
    return { state, conflicts: said?.conflicts ?? [], rules: all, isChecked };
  };

async function askGit(
  { git }: Pick<Parts, 'git'>,
  { repositoryId, sourceRepositoryId, headOid }: MergeRequest,
  trial: { readonly source: Oid; readonly target: Oid; readonly strategy: MergeStrategy },
  signal: AbortSignal,
): Promise<Said> {
  // A recent push to the fork has not been copied to the target yet.
  if (sourceRepositoryId !== repositoryId && trial.source !== headOid) return undefined;
  try {
    const check = await within(signal, (inner) => git.tryMerge(repositoryId, trial, inner));
    return check && { conflicts: check.conflicts, rules: check.clean ? [] : [conflictRule] };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof HexforgeError)) throw error;
    if (error.code === 'rebase_too_long')
      return { conflicts: [], rules: [{ code: 'rebase_too_long', detail: error.detail ?? '' }] };
    if (error.kind === 'unavailable') return undefined;
    throw error;
  }
}
