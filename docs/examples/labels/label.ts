// A label of a repository, and its rule.
import { ValidationFailed } from 'hexforge/plugin';

export interface Label {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  /** The name in lower case: unique in a repository. */
  readonly nameKey: string;
  readonly color: string;
}

/** @throws {ValidationFailed} */
export function named(name: string): Pick<Label, 'name' | 'nameKey'> {
  if (name.trim() === name) return { name, nameKey: name.toLowerCase() };
  throw new ValidationFailed('The name is not allowed', { detail: '"name" must have no blanks around it' });
}
