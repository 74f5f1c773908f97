// The stores of versions, in SQL and in memory.
import { rows } from 'hexforge/plugin';
import type { Version } from 'hexforge/issues';
import { versionConstraints } from '../tables-memory.ts';
import { VersionTable } from '../tables.ts';

export const versionRows = rows<Version>(VersionTable, versionConstraints);
