// Problems that stop a start, each with its remedy for the operator.
import { HexforgeError } from '#core/kernel/errors';
import { spentResource } from '#core/kernel/resources';
import { firstLine, readable } from './thrown.ts';

/** What is wrong, and what to do. */
export interface Problem {
  /** Stable, for scripts: `missing_port`. */
  readonly code: string;
  /** One sentence: who and what. */
  readonly message: string;
  /** One sentence: what to do. */
  readonly remedy: string;
  /** The plugin whose problem it is, where it is one plugin's. */
  readonly plugin?: string;
}

/** EX_CONFIG of sysexits.h: every refusal to start ends the process with it. */
export const exitRefused = 78;

/** A start that was refused: all problems together, before anything runs, or the one that a step ran into. */
export class Refused extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], cause?: unknown) {
    super(problems.map(sentence).join('\n'), cause === undefined ? undefined : { cause });
    this.name = 'Refused';
    this.problems = problems;
  }
}

/** On one line: what and what to do. */
export const sentence = ({ message, remedy }: Pick<Problem, 'message' | 'remedy'>): string =>
  [message, remedy]
    .filter((part) => part !== '')
    .map(stopped)
    .join(' ');

const stopped = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** How well an error explains itself: adapters put a `remedy` (and a `code`) on what an operator can mend. */
export function problemOf(thrown: unknown, fallback: Problem): Problem {
  const given = readable(thrown);
  const error = spentResource(given, 'the data of the server') ?? given;
  const said = (text: string): string => (fallback.message === '' ? text : `${fallback.message}: ${text}`);
  if (error instanceof HexforgeError && error.detail !== undefined)
    return { ...fallback, message: said(error.message), remedy: error.detail };
  if (!('remedy' in error) || typeof error.remedy !== 'string')
    return { ...fallback, message: said(firstLine(error.message)) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : fallback.code;
  return { ...fallback, code, message: error.message, remedy: error.remedy };
}
