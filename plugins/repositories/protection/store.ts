// The store of branch protection in PostgreSQL.
import type { Kysely, SqlDatabase } from 'hexforge/plugin';
import type { Protection, ProtectionStore } from 'hexforge/repositories';
import { ProtectionTable, type RepositoriesRows } from '../tables.ts';

export function sqlProtectionStore(database: SqlDatabase): ProtectionStore {
  const db = (): Kysely<RepositoriesRows> => database.kysely();
  return {
    async all(repositoryId) {
      const rows = await db()
        .selectFrom('repositories_protection')
        .selectAll()
        .where('repository_id', '=', repositoryId)
        .execute();
      return new Map(
        rows.map((row): [string, Protection] => [
          row.branch,
          {
            allowForcePush: row.allow_force_push,
            allowDeletion: row.allow_deletion,
            pushRoles: row.push_roles,
            requiredApprovals: row.required_approvals,
            requiredPipeline: { onOpen: row.pipeline_on_open, onMerge: row.pipeline_on_merge },
          },
        ]),
      );
    },
    async put(repositoryId, branch, { pushRoles, requiredPipeline, ...rules }, at) {
      const row = {
        repositoryId,
        branch,
        ...rules,
        pushRoles: [...pushRoles],
        pipelineOnOpen: requiredPipeline.onOpen,
        pipelineOnMerge: requiredPipeline.onMerge,
        updatedAt: at,
      };
      await database.em().upsert(ProtectionTable, row);
    },
    async delete(repositoryId, branch) {
      return (await database.em().nativeDelete(ProtectionTable, { repositoryId, branch })) > 0;
    },
  } satisfies ProtectionStore;
}
