// The stores of reviews, in SQL and in memory.
import type { MergeReview } from 'hexforge/merges';
import { rows } from 'hexforge/plugin';
import { reviewConstraints } from '../tables-memory.ts';
import { ReviewTable } from '../tables.ts';

export const reviewRows = rows<MergeReview>(ReviewTable, reviewConstraints);
