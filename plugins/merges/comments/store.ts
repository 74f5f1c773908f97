// The stores of review comments, in SQL and in memory.
import type { MergeComment } from 'hexforge/merges';
import { rows } from 'hexforge/plugin';
import { commentConstraints } from '../tables-memory.ts';
import { CommentTable } from '../tables.ts';

export const commentRows = rows<MergeComment>(CommentTable, commentConstraints);
