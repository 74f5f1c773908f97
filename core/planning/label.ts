// A label of a repository, and the rules for its members.
import { ValidationFailed } from '#core/kernel/errors';
import { itemName, type NamedItem, type RepositoryItem } from '#core/repositories/index';

/** A label of a repository. */
export interface Label extends NamedItem {
  /** Six hexadecimal digits, in the case that the caller gave. */
  readonly color: string;
  readonly description: string | null;
}

/** The most labels of one repository. */
export const maxLabels = 1000;
/** The most characters of a label's name. */
export const maxLabelName = 64;
/** The most characters of a label's description. */
export const maxLabelDescription = 255;
/** The format of a color. */
export const labelColor = /^[0-9A-Fa-f]{6}$/;

/** The members of a label that a caller can set. */
export type LabelWish = Pick<Label, 'name' | 'color'> & { readonly description?: string | null | undefined };

/** Checks and converts the given members. @throws {ValidationFailed} naming the invalid one */
export function labelParts(wish: LabelWish): Pick<Label, 'name' | 'nameKey' | 'color'> & Partial<Label>;
export function labelParts(wish: Partial<LabelWish>): Partial<Label>;
export function labelParts({ name, color, description }: Partial<LabelWish>): Partial<Label> {
  const named = name !== undefined && itemName(name, maxLabelName);
  if (color !== undefined && !labelColor.test(color))
    throw new ValidationFailed('The color of the label is not allowed', {
      detail: '"color" must be six hexadecimal digits, without "#"',
    });
  return {
    ...named,
    ...(color !== undefined && { color }),
    ...(description !== undefined && { description: description === '' ? null : description }),
  };
}

/** The members of a new label. @throws {ValidationFailed} as `labelParts`. */
export const newLabel = (wish: LabelWish): Omit<Label, keyof RepositoryItem> => ({
  description: null,
  ...labelParts(wish),
});
