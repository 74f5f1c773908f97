// A component of a repository: a part of the whole that issues are about.
import type { Named } from './named.ts';

/** A part of what a repository holds. */
export interface Component extends Named {}

/** The name of the unique constraint, as `Duplicate` carries it. */
export const componentName = 'issues_component_name';
