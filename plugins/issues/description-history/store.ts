// The stores of changes of descriptions, in SQL and in memory.
import { rows } from 'hexforge/plugin';
import type { DescriptionEdit } from 'hexforge/issues';
import { editConstraints } from '../tables-memory.ts';
import { DescriptionEditTable } from '../tables.ts';

export const editRows = rows<DescriptionEdit>(DescriptionEditTable, editConstraints);
