// The contract suite of `SearchBackend`: every promise of the port as a check.
import type { Check } from '../checks.ts';
import { accessChecks } from './access.ts';
import type { SearchBackendUnderTest } from './bench.ts';
import { boundChecks } from './bounds.ts';
import { documentChecks } from './documents.ts';
import { matchingChecks } from './matching.ts';
import { rankingChecks } from './ranking.ts';
import { rebuildChecks } from './rebuilds.ts';
import { symbolChecks } from './symbols.ts';
import { writeChecks } from './writes.ts';

export type { SearchBackendUnderTest } from './bench.ts';
export type { SearchWorld } from './world.ts';

export const searchBackendChecks: readonly Check<SearchBackendUnderTest>[] = [
  ...writeChecks,
  ...accessChecks,
  ...matchingChecks,
  ...rankingChecks,
  ...symbolChecks,
  ...documentChecks,
  ...boundChecks,
  ...rebuildChecks,
];
