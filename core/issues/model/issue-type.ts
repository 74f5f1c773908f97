// An issue type of the instance's catalogue, its rules, and the built-in types.
import { ValidationFailed } from '#core/kernel/errors';

/** A type in the instance's catalogue. */
export interface IssueType {
  readonly id: string;
  /** In lower case. Never changes. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** Six hex digits, without #. */
  readonly color: string;
  readonly icon: string;
  /** An issue of this type cannot have children. */
  readonly isSubtask: boolean;
  readonly position: number;
}

const builtIn = (position: number, name: string, displayName: string, color: string, description: string) => ({
  id: `00000000-0000-4000-8000-00000000000${position}`,
  name,
  displayName,
  description,
  color,
  icon: name,
  isSubtask: false,
  position,
});

/** The types that every catalogue has. Their ids end in 1 to 7, and their names never change. */
export const builtInTypes = [
  builtIn(1, 'epic', 'Epic', '8250df', 'A body of work that is made of many issues'),
  builtIn(2, 'story', 'Story', '2da44e', 'What a user wants to be able to do'),
  builtIn(3, 'task', 'Task', '0969da', 'A piece of work'),
  builtIn(4, 'analysis', 'Analysis', '1b7c83', 'A question to be looked into'),
  builtIn(5, 'bug', 'Bug', 'cf222e', 'Something does not work as it should'),
  builtIn(6, 'feature', 'Feature', 'bf8700', 'Something that is missing'),
  builtIn(7, 'support', 'Support', '6e7781', 'Somebody needs help'),
] as const satisfies readonly IssueType[];

/** The most types of a catalogue. The list of types has no pages. */
export const maxTypes = 200;

/** The name of the unique constraint, as in `Duplicate`. */
export const typeNameUnique = 'issues_type_name';

/** Whether the type is built in. Rules and clients refer to built-in types by their ids, so they cannot be deleted. */
export const isBuiltIn = ({ id }: Pick<IssueType, 'id'>): boolean => builtInTypes.some((type) => type.id === id);

/** Trims and lower-cases the name. @throws {ValidationFailed} */
export function typeName(text: string): string {
  const name = text.trim().toLowerCase();
  if (isTitle(name)) return name;
  throw new ValidationFailed('The name of the issue type is not allowed', {
    detail: '"name" must be one line of text that is not blank',
  });
}

/** Checks the name that people see. @throws {ValidationFailed} */
export function typeDisplayName(text: string): string {
  if (isTitle(text)) return text;
  throw new ValidationFailed('The display name of the issue type is not allowed', {
    detail: '"display_name" must be one line of text that is not blank',
  });
}

const isTitle = (text: string): boolean => text.trim() !== '' && !/\p{Cc}/u.test(text);
