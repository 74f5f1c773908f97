// The stores of issue types, in SQL and in memory.
import { rows, type MemoryDatabase } from 'hexforge/plugin';
import { typeNameUnique, type IssueType } from 'hexforge/issues';
import { typeTable } from '../tables-memory.ts';
import { TypeTable } from '../tables.ts';

const types = rows<IssueType>(TypeTable, { uniques: { [typeNameUnique]: ['name'] } });

export const typeStore = {
  ...types,
  memory(database: MemoryDatabase) {
    typeTable(database);
    return types.memory(database);
  },
};
