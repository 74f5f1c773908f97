// Checks a username and password for sessions and for git: against the account, then against the directories, with one
// throttle for both.
import type { AuditAction, AuditEntry } from '#core/kernel/services/audit';
import type { AccountStanding, PasswordSignIn } from '#core/kernel/access/credentials';
import { Forbidden, RateLimited, Unauthorized, Unavailable } from '#core/kernel/errors';
import type { DirectoryUser } from '#core/kernel/access/password-directories';
import { hasTokenForm } from '../model/access-token.ts';
import type { Account } from '../model/account.ts';
import type { AdmittedUser } from '../model/external-identity.ts';
import type { IdentityParts } from '../model/parts.ts';
import type { SecuredAccount } from '../model/ports.ts';
import { blocked, type Block } from './blocked.ts';
import type { SignInBlocks } from './sign-in-blocks.ts';
import { signInKey, throttle } from './sign-in-throttle.ts';
import { noPassword } from '../model/password.ts';
import { isUsername } from '../model/username.ts';

interface Attempt {
  readonly username: string;
  readonly password: string;
  readonly ip: string;
  readonly now: Date;
  readonly surface: 'login' | 'basic';
  /** Builds an audit entry about the attempt. */
  readonly entry: (action: AuditAction, resource: string, details: AuditEntry['details']) => AuditEntry;
}

/** An account that may sign in, and how its password was proved. */
export interface ProvedAccount {
  readonly account: Account;
  /** The password hash, if the account's own password was used. */
  readonly passwordHash: string | undefined;
  /** The name of the directory, if its password was used. */
  readonly directory: string | undefined;
}

export interface Passwords {
  /**
   * Undefined if the pair is wrong, after the same amount of work for an unknown name and for a wrong password.
   * @throws {Forbidden | RateLimited | Unavailable}
   */
  prove(attempt: Attempt): Promise<ProvedAccount | undefined>;
  readonly basic: PasswordSignIn;
  readonly standing: AccountStanding;
}

/** Whether the proof is still valid for the current account: a changed password invalidates it. */
export const stillProves = ({ passwordHash }: ProvedAccount, now: SecuredAccount): boolean =>
  passwordHash === undefined || now.passwordHash === passwordHash;

/** Finds or creates the accounts of directory users who have a permanent id. */
export interface DirectoryAccounts {
  admit(
    directory: string,
    user: AdmittedUser,
    entry: Attempt['entry'],
  ): Promise<{ readonly account: Account | undefined; readonly block: Block | undefined }>;
}

/** The source of a correct password: the account itself, or a directory. */
type Known = { readonly own: SecuredAccount } | { readonly directory: string; readonly user: DirectoryUser };

interface Judged extends Omit<ProvedAccount, 'account'> {
  /** Undefined if the user has no account. */
  readonly account: Account | undefined;
  readonly block: Block | undefined;
}

export function passwordSignIn(
  parts: IdentityParts,
  { blockOf }: SignInBlocks,
  directoryAccounts: DirectoryAccounts,
): Passwords {
  const { accounts, passwordHasher, directories, directorySeconds, rateCounter, settings, audit } = parts;
  const guard = throttle(rateCounter);

  const refused = (
    { entry, surface, username }: Attempt,
    action: AuditAction,
    account: Account | undefined,
    more: AuditEntry['details'] = {},
  ): Promise<void> =>
    audit.append(
      entry(action, `user:${account?.id ?? 'unknown'}`, {
        surface,
        // A text that is not a valid username may be a password typed into the wrong field, so it is not logged.
        ...(isUsername(username) && { username }),
        ...more,
      }),
    );

  /** Determines the account, and the reason why it may not sign in. */
  const judged = async (known: Known, { entry }: Attempt): Promise<Judged> => {
    if ('own' in known) {
      const { account, passwordHash } = known.own;
      return { account, passwordHash, directory: undefined, block: await blockOf(account) };
    }
    const { directory, user } = known;
    const { subject, username } = user;
    const judgement = { passwordHash: undefined, directory };
    if (subject !== undefined) {
      const { account, block } = await directoryAccounts.admit(
        directory,
        { ...user, subject, emailVerified: true },
        entry,
      );
      return { ...judgement, account, block };
    }
    const named = isUsername(username) ? await accounts.byUsername(username) : undefined;
    return { ...judgement, account: named, block: named && (await blockOf(named)) };
  };

  const userOf = ({ id, username, isAdmin }: Account) => ({ kind: 'user', id, username, isAdmin }) as const;

  const passwords: Passwords = {
    async prove(attempt) {
      const { username, password, ip, now } = attempt;
      const local = isUsername(username) ? await accounts.secured(username) : undefined;
      const key = signInKey(username, ip);
      let unavailable: Unavailable | undefined;
      const ownHash = local?.passwordHash === noPassword ? undefined : local?.passwordHash;
      const own = async (): Promise<Known | undefined> => {
        if (local === undefined || !(await passwordHasher.verify(password, ownHash, ip))) return undefined;
        // The hash may have waited for a slot, so the account is read again, and its password must be unchanged.
        const again = await accounts.secured(username);
        return again?.account.id === local.account.id && again.passwordHash === ownHash ? { own: again } : undefined;
      };
      const elsewhere = async (): Promise<Known | undefined> => {
        try {
          return await directories.find(username, password, { ip, now, waitSeconds: directorySeconds });
        } catch (error) {
          if (!(error instanceof Unavailable)) throw error;
          // Counts as a wrong password, so that an unavailable directory does not allow unlimited guesses.
          unavailable = error;
          return undefined;
        }
      };
      // For every name, a failure takes one hash and one answer of the directories.
      const check = async (): Promise<Known | undefined> => {
        if (ownHash !== undefined) return (await own()) ?? (await elsewhere());
        const known = await elsewhere();
        if (known === undefined) await passwordHasher.verify(password, undefined, ip);
        return known;
      };
      const known = await guard.attempt(key, now, check).catch(async (error: unknown) => {
        if (error instanceof RateLimited && (await guard.firstRefusal(key, now)))
          await refused(attempt, 'user.login_throttled', local?.account);
        throw error;
      });
      if (known === undefined) {
        await refused(attempt, 'user.login_failed', local?.account, {
          ...(unavailable !== undefined && { unavailable: unavailable.message }),
        });
        // An account with a local password does not depend on directories.
        if (unavailable !== undefined && ownHash === undefined) throw unavailable;
        return undefined;
      }
      const { account, passwordHash, directory, block } = await judged(known, attempt);
      if (account === undefined || block !== undefined) {
        const code = block ?? 'account_unknown';
        const { action, message, detail } = blocked[code];
        await refused(attempt, action, account, { ...(directory !== undefined && { directory }) });
        throw new Forbidden(message, { code, detail });
      }
      return { account, passwordHash, directory };
    },

    basic: {
      async prove(username, password, { ip, now }) {
        // An expired token must not count as a wrong password, which would lock out its owner, and is not sent to
        // directories.
        if (hasTokenForm(password)) return undefined;
        if (!(await settings.get('git.password_auth')))
          throw new Unauthorized('Passwords are not accepted for git here', {
            detail: 'Use a personal access token as the password',
          });
        const proved = await passwords.prove({
          username,
          password,
          ip,
          now,
          surface: 'basic',
          entry: (action, resource, details) => ({
            actorId: undefined,
            actorUsername: undefined,
            action,
            resource,
            ip,
            userAgent: '',
            at: now,
            details,
          }),
        });
        if (proved === undefined) return undefined;
        const { id, username: name } = proved.account;
        return {
          ...userOf(proved.account),
          // Does not query directories again: their answer is valid for the whole request. The account is read again.
          async unchanged() {
            if (!(await settings.get('git.password_auth'))) return undefined;
            const held = await accounts.secured(name);
            if (held?.account.id !== id || !stillProves(proved, held)) return undefined;
            if ((await blockOf(held.account)) !== undefined) return undefined;
            return userOf(held.account);
          },
        };
      },
    },

    standing: {
      async of(id) {
        const account = await accounts.byId(id);
        return account === undefined || (await blockOf(account)) !== undefined ? undefined : userOf(account);
      },
    },
  };
  return passwords;
}
