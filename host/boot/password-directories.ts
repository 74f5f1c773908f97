// Queries the password directories of plugins one after the other, each with a time limit, and validates their answers.
import { maybe, shape, text, word } from '#adapters/http/descriptor/shape';
import { Unavailable } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import type { DirectoryUser, PasswordDirectories, PasswordDirectory } from '#core/kernel/access/password-directories';
import type { Provided } from './container.ts';
import { within } from '../problems/deadline.ts';
import { reasonOf } from '../problems/thrown.ts';

/** The most characters of a member of an answer; more than any account can hold. */
const longest = 1024;
const longestName = 256;

const answerShape = shape({
  username: word().max(longest),
  subject: maybe(word().max(longest)),
  email: maybe(word().max(longest)),
  displayName: maybe(text().max(longest)),
});

/**
 * Rejects inputs that directories misread. Many accept an empty password as an unauthenticated bind (RFC 4513, 5.1.2).
 * Many ignore invisible characters and extra spaces (RFC 4518, 2.2 and 2.6.1), so each such spelling of a name would
 * get its own sign-in throttle.
 */
const askable = (username: string, password: string): boolean =>
  username !== '' && username.length <= longestName && !/\p{C}|^\s|\s$|\s\s/u.test(username) && password !== '';

/** Validates an answer. @throws {Error} with the fault, but without a value of the answer. */
function userOf(answer: unknown): DirectoryUser {
  const { error, value } = answerShape.validate(answer, { convert: false });
  if (error !== undefined)
    throw new Error(
      `What it answered is no user: ${error.message}. It is { username, subject?, email?, displayName? }, or undefined`,
    );
  const { username, subject, email, displayName } = value;
  return {
    username,
    ...(subject !== undefined && { subject }),
    ...(email !== undefined && { email }),
    ...(displayName !== undefined && { displayName }),
  };
}

export function passwordDirectories(parts: {
  readonly directories: () => readonly Provided<PasswordDirectory>[];
  readonly log: Log;
}): PasswordDirectories {
  const answerOf = async (
    check: (signal: AbortSignal) => Promise<unknown>,
    waitSeconds: number,
  ): Promise<DirectoryUser | undefined> => {
    const waiting = new AbortController();
    try {
      const answer = await within(waitSeconds * 1000, 'its check of a password', () => check(waiting.signal));
      return answer === undefined ? undefined : userOf(answer);
    } catch (error) {
      waiting.abort(error);
      throw error;
    }
  };

  return {
    async find(username, password, { waitSeconds, ip, now }) {
      if (!askable(username, password)) return undefined;
      let away: string | undefined;
      for (const { plugin, provided } of parts.directories()) {
        try {
          const user = await answerOf((signal) => provided.check(username, password, { ip, now, signal }), waitSeconds);
          if (user !== undefined) return { directory: plugin, user };
        } catch (error) {
          away ??= plugin;
          parts.log.warn({ plugin, reason: reasonOf(error) }, 'a password directory gave no valid answer');
        }
      }
      if (away !== undefined)
        throw new Unavailable(`The password directory "${away}" is not available`, {
          detail: 'Try again later, or ask an administrator of this instance',
        });
      return undefined;
    },
  } satisfies PasswordDirectories;
}
