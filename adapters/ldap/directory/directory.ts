// The password directory on an LDAP server: it searches for the user's entry, then binds as that entry.
import { clientNetwork } from '#core/kernel/access/current-caller';
import type { DirectoryUser, PasswordDirectory } from '#core/kernel/access/password-directories';
import { checked, type Options } from '../options.ts';
import { Pool } from '../wire/pool.ts';
import { Busy, limited, limiterOf } from './limits.ts';
import { accepts, acceptsNobody, findEntry, membership, openService, type Configured } from './steps.ts';
import { trial } from './trial.ts';
import { isDisabled, UnusableEntry, userOf } from './user.ts';

/** Milliseconds between looks whether a directory that failed answers again. */
const lookAgain = 10_000;

/** Characters. */
const longest = { username: 256, password: 4096 } as const;

export interface LdapDirectory {
  readonly directory: Required<PasswordDirectory>;
  /** The last failure, unless a check succeeded since, without secrets. */
  complaint(): string | undefined;
  /** Looks whether the directory answers, without waiting for it. */
  open(): void;
  close(): void;
}

/** @throws {Misconfigured} if the options cannot work or are not safe. Opens no connection. */
export function ldapDirectory(given: Options): LdapDirectory {
  const options: Configured = { ...given, ...checked(given) };
  const { log, timeoutSeconds } = options;
  const limiter = limiterOf(options);
  const pool = new Pool((signal) => openService(options, signal));
  const closing = new AbortController();
  let failure: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const watched = async <T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const ends = [outer, closing.signal];
    try {
      const result = await limited(timeoutSeconds, ends, work);
      if (failure !== undefined) log.info({}, 'LDAP: the directory answers again');
      failure = undefined;
      return result;
    } catch (error) {
      // Neither is a fault of the directory.
      if (ends.some(({ aborted }) => aborted) || error instanceof Busy || error instanceof UnusableEntry) throw error;
      const words = error instanceof Error ? error.message : 'The directory cannot be used';
      if (failure === undefined) log.warn({ reason: words }, 'LDAP: the directory cannot check passwords');
      failure = words;
      throw error;
    }
  };

  const find = async (username: string, password: string, signal: AbortSignal): Promise<DirectoryUser | undefined> => {
    const entry = await pool.run((connection) => findEntry(connection, options, username, signal), signal);
    if (typeof entry === 'string') {
      if (entry === 'several') log.warn({}, 'LDAP: several entries match the name of a sign-in, which was refused');
      await acceptsNobody(options, password, signal);
      return undefined;
    }
    if (!(await accepts(options, entry.dn, password, signal)) || isDisabled(entry)) return undefined;
    const user = userOf(entry, options);
    const { adminGroup } = options;
    if (adminGroup === undefined) return user;
    const member = await pool.run(
      (connection) => membership(connection, options, { entry, adminGroup }, signal),
      signal,
    );
    if (member === 'no group') log.warn({}, 'LDAP: the group of administrators does not exist, or cannot be seen');
    // A group that is renamed or hidden by mistake must not take the rights of all administrators.
    return member === 'no group' ? user : { ...user, isAdmin: member === 'member' };
  };

  const look = (): void => {
    lookedAt = performance.now();
    const looking = watched(closing.signal, async (signal) => {
      await pool.run((connection) => findEntry(connection, options, 'hexforge-probe', signal), signal);
    });
    looking.catch(() => undefined);
  };

  return {
    directory: {
      async check(username, password, { ip, signal }) {
        if (!isAskable(username, longest.username) || !isAskable(password, longest.password)) return undefined;
        return watched(signal, async (limitedSignal) =>
          limiter.run(() => find(username, password, limitedSignal), clientNetwork(ip), limitedSignal),
        );
      },
      displayName: 'LDAP',
      inspect: (username, password, signal) =>
        limited(timeoutSeconds, [signal, closing.signal], (limitedSignal) =>
          limiter.run(() => trial(options, { username, password }, limitedSignal), undefined, limitedSignal),
        ),
    } satisfies PasswordDirectory,
    complaint() {
      if (failure !== undefined && performance.now() - lookedAt > lookAgain && !closing.signal.aborted) look();
      return failure;
    },
    open: look,
    close() {
      closing.abort(new Error('The directory is closed'));
      pool.close();
    },
  };
}

/** An empty password would be an anonymous bind (RFC 4513, 5.1.2); a NUL ends a text for some servers. */
const isAskable = (text: string, most: number): boolean =>
  text !== '' && text.length <= most && !text.includes('\0') && text.isWellFormed();
