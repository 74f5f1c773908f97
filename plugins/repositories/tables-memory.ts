// The in-memory tables that several stores use, with the keys and foreign keys that the migrations declare.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { Collaboration, Mark } from 'hexforge/repositories';
import { markTables } from './tables.ts';

/** A row that belongs to one user in one repository. */
interface MarkRow {
  readonly repositoryId: string;
  readonly userId: string;
  readonly createdAt: Date;
}

const ofUserInRepository = {
  key: ['repositoryId', 'userId'],
  references: {
    repositoryId: { table: 'repositories_repository', onDelete: 'cascade' },
    userId: { table: 'identity_user', onDelete: 'cascade' },
  },
} as const;

export const markTable = (database: MemoryDatabase, mark: Mark) =>
  database.table<MarkRow>(markTables[mark], ofUserInRepository);

export const collaboratorTable = (database: MemoryDatabase) =>
  database.table<MarkRow & { readonly collaboration: Collaboration }>('repositories_collaborator', ofUserInRepository);
