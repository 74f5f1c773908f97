// The stores of comments on issues, in SQL and in memory.
import { rows } from 'hexforge/plugin';
import type { IssueComment } from 'hexforge/issues';
import { commentConstraints } from '../tables-memory.ts';
import { CommentTable } from '../tables.ts';

export const commentRows = rows<IssueComment>(CommentTable, commentConstraints);
