// Ports of password directories: external sources of users and passwords, such as LDAP.
import { declarePort } from '../ports.ts';
import type { SignInStep } from './sign-in-flows.ts';

/** The user that a directory found for a name and password. */
export interface DirectoryUser {
  /** The username of the account in this instance, compared case-insensitively. */
  readonly username: string;
  /**
   * A permanent, unique id in the directory, such as an entryUUID. If given, the user belongs to the directory: an
   * existing account with the same username is not theirs, and `username` is the preferred name of a new account.
   */
  readonly subject?: string;
  /** Counts as verified: the operator trusts the directory. */
  readonly email?: string;
  readonly displayName?: string;
  /**
   * Whether the directory calls the user an administrator of this instance; undefined if it does not decide that. Only
   * used together with `subject`: each sign-in then updates the account, except that of the first administrator.
   */
  readonly isAdmin?: boolean;
}

/** The result of a test of a directory, for administrators. */
export interface DirectoryInspection {
  /** In order, up to the first one that fails. */
  readonly steps: readonly SignInStep[];
  /** The result of such a sign-in; undefined if it would be refused, or if no password was given. */
  readonly user: DirectoryUser | undefined;
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
  /** Its name on pages. Default: the name of the plugin. */
  readonly displayName?: string;
  /**
   * Tests the directory for an administrator, up to the first step that fails. Changes nothing, and does not throw for
   * faults of the directory.
   * @param password undefined: the steps that need it are left out.
   */
  inspect?(username: string, password: string | undefined, signal: AbortSignal): Promise<DirectoryInspection>;
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
    from: {
      readonly ip: string;
      readonly now: Date;
      readonly waitSeconds: number;
      /** Only this directory. Default: all. */
      readonly only?: string | undefined;
    },
  ): Promise<{ readonly directory: string; readonly user: DirectoryUser } | undefined>;
  /** The directories, in their order: the names of their plugins, and their names on pages. */
  names(): readonly { readonly id: string; readonly displayName: string }[];
  /**
   * Tests a directory for an administrator.
   * @returns undefined if there is no such directory, or it offers no test.
   */
  inspect(
    directory: string,
    username: string,
    password: string | undefined,
    waitSeconds: number,
  ): Promise<DirectoryInspection | undefined>;
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
