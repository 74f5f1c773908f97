// Renders the help: one line and one example per command.
import { table, type Command, type Flag } from './command.ts';

export function help(commands: readonly Command[]): readonly string[] {
  return [
    'hexforge COMMAND: a self-hosted forge.',
    '',
    ...table(
      commands.map(({ name, summary, example, takes = [], may = [] }) => [
        `  ${[name, ...takes, ...may.map((one) => `[${one}]`)].join(' ')}`,
        summary,
        `e.g. ${example}`,
      ]),
    ),
    '',
    '  hexforge COMMAND --help says more, hexforge --version which this is.',
  ];
}

export function helpOf(
  { name, summary, example, takes = [], may = [], flags = {} }: Command,
  common: Readonly<Record<string, Flag>>,
): readonly string[] {
  const rows = Object.entries({ ...flags, ...common }).map(([flag, { value, description }]) => [
    `  --${flag}${value === undefined ? '' : ` ${value}`}`,
    description,
  ]);
  return [
    `hexforge ${[name, ...takes, ...may.map((one) => `[${one}]`)].join(' ')}: ${summary}`,
    '',
    ...table(rows),
    '',
    `  Example: ${example}`,
  ];
}
