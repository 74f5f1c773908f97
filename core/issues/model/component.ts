// A component of a repository: a part of the project that issues can refer to.
import type { Named } from './named.ts';

/** A part of the project in a repository. */
export interface Component extends Named {}

/** The name of the unique constraint, as in `Duplicate`. */
export const componentName = 'issues_component_name';
