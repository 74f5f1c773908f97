// The stores of branch protection, in SQL and in memory.
import { rows, storeOf } from 'hexforge/plugin';
import type { Protection, ProtectionStore } from 'hexforge/repositories';
import { ofRepository, ProtectionTable } from '../tables.ts';

type Row = Omit<Protection, 'requiredPipeline'> & {
  readonly repositoryId: string;
  readonly branch: string;
  readonly pipelineOnOpen: boolean;
  readonly pipelineOnMerge: boolean;
  readonly updatedAt: Date;
};

export const protectionStore = storeOf(
  { protections: rows<Row>(ProtectionTable, { references: ofRepository }) },
  ({ protections }): ProtectionStore => ({
    all: async (repositoryId) =>
      new Map(
        (await protections.find({ where: { repositoryId }, orderBy: [] })).map(
          ({ repositoryId: _, branch, pipelineOnOpen: onOpen, pipelineOnMerge: onMerge, updatedAt: _at, ...rules }) => [
            branch,
            { ...rules, requiredPipeline: { onOpen, onMerge } },
          ],
        ),
      ),
    put: (repositoryId, branch, { requiredPipeline: { onOpen, onMerge }, ...rules }, updatedAt) =>
      protections.put({
        repositoryId,
        branch,
        ...rules,
        pipelineOnOpen: onOpen,
        pipelineOnMerge: onMerge,
        updatedAt,
      }),
    delete: async (repositoryId, branch) => (await protections.delete({ repositoryId, branch })) !== undefined,
  }),
);
