// Problems that stop a start, each with its remedy for the operator.
import { HexforgeError } from '#core/kernel/errors';
import { exhaustedResource } from '#core/kernel/access/resources';
import { firstLine, readable } from './thrown.ts';

/** A problem and its remedy. */
export interface Problem {
  /** Stable, for scripts, such as `missing_port`. */
  readonly code: string;
  /** One sentence with the subject and the fault. */
  readonly message: string;
  /** One sentence: the action for the operator. */
  readonly remedy: string;
  /** The plugin that has the problem, if it belongs to one plugin. */
  readonly plugin?: string;
}

/** EX_CONFIG of sysexits.h: the exit code of every refused start. */
export const exitRefused = 78;

/** A refused start: all problems that were found before anything ran, or the one that a step failed with. */
export class Refused extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], cause?: unknown) {
    super(problems.map(sentence).join('\n'), cause === undefined ? undefined : { cause });
    this.name = 'Refused';
    this.problems = problems;
  }
}

/** A refusal for one problem. */
export const refusal = (code: string, message: string, remedy: string, cause?: unknown): Refused =>
  new Refused([{ code, message, remedy }], cause);

/** Message and remedy on one line. */
export const sentence = ({ message, remedy }: Pick<Problem, 'message' | 'remedy'>): string =>
  [message, remedy]
    .filter((part) => part !== '')
    .map(stopped)
    .join(' ');

/** The text with a full stop, unless it ends a sentence. */
export const stopped = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The refusal for an error of a step. A refusal is returned unchanged, with its own messages and remedies. */
export const refusedBy = (error: unknown, fallback: Problem): Refused =>
  error instanceof Refused ? error : new Refused([problemOf(error, fallback)], error);

/** The text of an error for an operator: its message, and its remedy if it has one. */
export function told(thrown: unknown): string {
  if (thrown instanceof Refused) return thrown.message;
  const error = readable(thrown);
  const problem = problemOf(error, { code: '', message: '', remedy: '' });
  return problem.remedy === '' ? error.message : sentence(problem);
}

/** The problem for an error. Adapters set `remedy` (and `code`) on errors that an operator can fix. */
export function problemOf(thrown: unknown, fallback: Problem): Problem {
  const given = readable(thrown);
  const error = exhaustedResource(given, 'the data of the server') ?? given;
  const said = (text: string): string => (fallback.message === '' ? text : `${fallback.message}: ${text}`);
  if (error instanceof HexforgeError && error.detail !== undefined)
    return { ...fallback, message: said(error.message), remedy: error.detail };
  if (!('remedy' in error) || typeof error.remedy !== 'string')
    return { ...fallback, message: said(firstLine(error.message)) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : fallback.code;
  return { ...fallback, code, message: error.message, remedy: error.remedy };
}
