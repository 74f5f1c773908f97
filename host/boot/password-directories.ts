// Queries the password directories of plugins one after the other, each with a time limit, and validates their answers.
import { flag, maybe, shape, text, word } from '#adapters/http/descriptor/shape';
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
  isAdmin: maybe(flag()),
});

/**
 * Rejects inputs that directories misread. Many accept an empty password as an unauthenticated bind (RFC 4513, 5.1.2).
 * Many ignore invisible characters and extra spaces (RFC 4518, 2.2 and 2.6.1), so each such spelling of a name would
 * get its own sign-in throttle.
 */
const askable = (username: string, password: string): boolean =>
  username !== '' && username.length <= longestName && !/\p{C}|^\s|\s$|\s\s/u.test(username) && password !== '';

const notAskable = 'Names with invisible characters or extra spaces, and empty passwords, are never sent';

/** Validates an answer. @throws {Error} with the fault, but without a value of the answer. */
function userOf(answer: unknown): DirectoryUser {
  const { error, value } = answerShape.validate(answer, { convert: false });
  if (error !== undefined)
    throw new Error(
      `What it answered is no user: ${error.message}. It is { username, subject?, email?, displayName?, isAdmin? }, or undefined`,
    );
  const { username, subject, email, displayName, isAdmin } = value;
  return {
    username,
    ...(subject !== undefined && { subject }),
    ...(email !== undefined && { email }),
    ...(displayName !== undefined && { displayName }),
    ...(isAdmin !== undefined && { isAdmin }),
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
    names: () =>
      parts.directories().map(({ plugin, provided }) => ({ id: plugin, displayName: provided.displayName ?? plugin })),

    async inspect(directory, username, password, waitSeconds) {
      const inspected = parts.directories().find(({ plugin }) => plugin === directory)?.provided;
      if (inspected?.inspect === undefined) return undefined;
      if (!askable(username, password ?? 'absent'))
        return { steps: [{ title: 'Name', outcome: 'bad', about: notAskable }], user: undefined };
      const ending = new AbortController();
      try {
        return await within(waitSeconds * 1000, 'its test', async () =>
          inspected.inspect?.(username, password, ending.signal),
        );
      } catch (error) {
        return { steps: [{ title: 'Test', outcome: 'bad', about: reasonOf(error) }], user: undefined };
      } finally {
        ending.abort();
      }
    },

    async find(username, password, { waitSeconds, ip, now, only }) {
      if (!askable(username, password)) return undefined;
      let away: string | undefined;
      for (const { plugin, provided } of parts.directories()) {
        if (only !== undefined && plugin !== only) continue;
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
