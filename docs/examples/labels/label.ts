// A label of a repository, and its rule.
import { itemName, type NamedItem } from 'hexforge/repositories';

export interface Label extends NamedItem {
  readonly color: string;
}

/** The members of a label that a caller sets. */
export type LabelWish = Pick<Label, 'name' | 'color'>;

/** One line of at most 50 characters, and the key that names are compared by. @throws {ValidationFailed} */
export const labelName = (name: string): Pick<Label, 'name' | 'nameKey'> => itemName(name, 50);
