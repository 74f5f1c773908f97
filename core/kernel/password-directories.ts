// Password directories: who else than the forge's own accounts knows people and their passwords, such as LDAP.
import { declarePort } from './ports.ts';

/**
 * Whom a name and a password belong to, as a directory knows them. It says who, and never what they may do here: that
 * is written on their account.
 */
export interface DirectoryUser {
  /** The username of their account here, in any case. */
  readonly username: string;
  /**
   * What the directory calls them for good and calls nobody else, such as an entryUUID. With it they are somebody of
   * the directory's own: no account is theirs for having that username, and `username` is the one they would like.
   */
  readonly subject?: string;
  readonly email?: string;
  readonly displayName?: string;
}

/**
 * Checks a name and a password that is not the account's own. It is known by the name of the plugin that provides it,
 * and asked in the order of the configuration, one after the other, until one knows the pair.
 */
export interface PasswordDirectory {
  /**
   * Undefined where the pair is wrong or the name is unknown, after the same time. Rejects where it cannot tell.
   * Neither is empty; the name has at most 256 characters, none that does not show (Unicode's category C), and no space
   * at an end or beside another.
   */
  check(
    username: string,
    password: string,
    from: {
      readonly ip: string;
      readonly now: Date;
      /** Aborted when nobody waits for the answer any more. */
      readonly signal: AbortSignal;
    },
  ): Promise<DirectoryUser | undefined>;
}

/** All password directories, each waited for only so long and held to the shape of its answer. */
export interface PasswordDirectories {
  /**
   * The first that knows the pair; undefined where each says that it does not.
   * @throws {Unavailable} naming the first that could not tell, where no other knows the pair.
   */
  find(
    username: string,
    password: string,
    from: { readonly ip: string; readonly now: Date; readonly waitSeconds: number },
  ): Promise<{ readonly directory: string; readonly user: DirectoryUser } | undefined>;
}

declare module './ports.ts' {
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
