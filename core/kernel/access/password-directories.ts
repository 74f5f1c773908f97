// Ports of password directories: external sources of users and passwords, such as LDAP.
import { declarePort } from '../ports.ts';

/**
 * The user that a directory found for a name and password. A directory provides the identity; the rights of the user
 * are stored in the account.
 */
export interface DirectoryUser {
  /** The username of the account in this instance, compared case-insensitively. */
  readonly username: string;
  /**
   * A permanent, unique id in the directory, such as an entryUUID. If given, the user belongs to the directory: an
   * existing account with the same username is not theirs, and `username` is the preferred name of a new account.
   */
  readonly subject?: string;
  readonly email?: string;
  readonly displayName?: string;
}

/**
 * Checks a name and password against an external source. Directories are named after the plugin that provides them, and
 * are queried one after the other in the order of the configuration until one accepts the pair.
 */
export interface PasswordDirectory {
  /**
   * Returns undefined, after constant time, if the pair is wrong or the name is unknown. Rejects if the directory
   * cannot answer.
   * Neither argument is empty. The name has at most 256 characters, no invisible ones (Unicode category C), and no
   * leading, trailing or repeated spaces.
   */
  check(
    username: string,
    password: string,
    from: {
      readonly ip: string;
      readonly now: Date;
      /** Aborted when the result is no longer needed. */
      readonly signal: AbortSignal;
    },
  ): Promise<DirectoryUser | undefined>;
}

/** Queries all password directories, each with a time limit, and validates their results. */
export interface PasswordDirectories {
  /**
   * Returns the first directory that accepts the pair; undefined if all reject it.
   * @throws {Unavailable} if no directory accepts the pair and at least one could not answer. Names the first of those.
   */
  find(
    username: string,
    password: string,
    from: { readonly ip: string; readonly now: Date; readonly waitSeconds: number },
  ): Promise<{ readonly directory: string; readonly user: DirectoryUser } | undefined>;
}

declare module '../ports.ts' {
  interface Ports {
    PasswordDirectories: PasswordDirectories;
  }
  interface PluralPorts {
    PasswordDirectory: PasswordDirectory;
  }
}

declarePort('PasswordDirectories', {
  arity: 'single',
  component: 'password directories',
  critical: true,
  absent: 'refuse',
});
declarePort('PasswordDirectory', {
  arity: 'plural',
  component: 'password directory',
  critical: true,
  absent: 'degraded',
  methods: ['check'],
});
