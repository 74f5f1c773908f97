// Tasks that walk history.
import type { Oid } from '#core/repositories/git/git-backend';
import type { CommitRecord } from '#core/repositories/git/git-history';
import { commitRecord } from '../objects/records.ts';
import type { TaskContext } from '../objects/task-context.ts';
import { ancestors, divergences, isAncestor, mergeBases } from './ancestry.ts';
import { blame } from './blame.ts';
import { lastCommits } from './last-commits.ts';
import { revList, type RevList } from './rev-list.ts';

export const historyTasks = {
  history: ({ store }: TaskContext, query: RevList): readonly CommitRecord[] =>
    revList(store, query).flatMap((oid) => commitRecord(store, oid) ?? []),

  mergeBases: ({ store }: TaskContext, { one, other }: { readonly one: Oid; readonly other: Oid }) =>
    mergeBases(store, one, other),

  isAncestor: ({ store }: TaskContext, { older, newer }: { readonly older: Oid; readonly newer: Oid }) =>
    isAncestor(store, older, newer),

  divergences: ({ store }: TaskContext, { base, heads }: { readonly base: Oid; readonly heads: readonly Oid[] }) =>
    divergences(store, base, heads),

  lastCommits: (
    { store, isLate }: TaskContext,
    { commit, path }: { readonly commit: Oid; readonly path: readonly string[] },
  ) => lastCommits(store, commit, path, isLate),

  blame: ({ store }: TaskContext, { commit, path }: { readonly commit: Oid; readonly path: string }) =>
    blame(store, commit, path),

  /** Those of the commits that a tip leads to. */
  reached: (
    { store }: TaskContext,
    { tips, commits }: { readonly tips: readonly Oid[]; readonly commits: readonly Oid[] },
  ) => {
    const peeled = tips.flatMap((oid) => store.peel(oid) ?? []);
    const found = ancestors(store, peeled);
    return commits.filter((oid) => found.has(oid));
  },
};

type HistoryTasks = typeof historyTasks;

declare module '../threads/registry.ts' {
  interface Tasks extends HistoryTasks {}
}
