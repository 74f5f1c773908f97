// The assertion that an answer is an error with the shared envelope.
import type { Test } from 'tap';
import type { Answer } from './client.ts';

/** Asserts the status, the code and the envelope that every error shares. */
export function isError(
  t: Pick<Test, 'equal' | 'match'>,
  answer: Answer,
  status: number,
  code: string,
  what: string,
): void {
  t.equal(answer.status, status, `${what}: status`);
  t.match(answer.body, { error: /\S/, error_code: code }, `${what}: envelope`);
}
