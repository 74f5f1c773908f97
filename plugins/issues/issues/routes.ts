// Routes of document B, "Issues": list, create, fetch, update, close, reopen, delete.
import type { Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';

export const issueRoutes = (_useCases: IssueUseCases): readonly Route[] => [];
