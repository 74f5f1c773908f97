// A type of issue, of the instance's one catalogue; the built-in ones.

export interface IssueType {
  readonly id: string;
  /** Lower case; never changes. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** Six hex digits, without #. */
  readonly color: string;
  readonly icon: string;
  /** An issue of such a type has no children. */
  readonly isSubtask: boolean;
  readonly position: number;
}

const builtIn = (position: number, name: string, displayName: string, color: string, description: string) => ({
  // Document D, "Issues".
  id: `00000000-0000-4000-8000-00000000000${position}`,
  name,
  displayName,
  description,
  color,
  icon: name,
  isSubtask: false,
  position,
});

/** Document B, "Issue object": their ids end in 1 to 7, their names never change. */
export const builtInTypes = [
  builtIn(1, 'epic', 'Epic', '8250df', 'A body of work that is made of many issues'),
  builtIn(2, 'story', 'Story', '2da44e', 'What a user wants to be able to do'),
  builtIn(3, 'task', 'Task', '0969da', 'A piece of work'),
  builtIn(4, 'analysis', 'Analysis', '1b7c83', 'A question to be looked into'),
  builtIn(5, 'bug', 'Bug', 'cf222e', 'Something does not work as it should'),
  builtIn(6, 'feature', 'Feature', 'bf8700', 'Something that is missing'),
  builtIn(7, 'support', 'Support', '6e7781', 'Somebody needs help'),
] as const satisfies readonly IssueType[];
