// Checks a username and password for sessions and for git: against the account, then against the directories, with one
// throttle for both.
import type { AuditAction, AuditEntry } from '#core/kernel/services/audit';
import type { AccountStanding, PasswordSignIn } from '#core/kernel/access/credentials';
import { Forbidden, RateLimited, Unauthorized, Unavailable } from '#core/kernel/errors';
import { clientNetwork } from '#core/kernel/access/current-caller';
import type { DirectoryUser } from '#core/kernel/access/password-directories';
import { hasTokenForm } from '../model/access-token.ts';
import type { Account } from '../model/account.ts';
import type { IdentityParts } from '../model/parts.ts';
import type { SecuredAccount } from '../model/ports.ts';
import type { SignInBlocks } from './sign-in-blocks.ts';
import { throttle } from './sign-in-throttle.ts';
import { isUsername, signInNameLimit, usernameKey, usernameLimit } from '../model/username.ts';

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

/** Reasons that reject a sign-in with a correct password, by error code: the audit action and the error message. */
export const blocked = {
  account_is_bot: {
    action: 'user.login_blocked_bot',
    message: 'The account is the bot of a plugin',
    detail: 'Sign in to the account of a person',
  },
  account_suspended: {
    action: 'user.login_blocked_suspended',
    message: 'The account is suspended',
    detail: 'Ask an administrator of this instance',
  },
  email_not_verified: {
    action: 'user.login_blocked_email_not_verified',
    message: 'The e-mail address is not verified',
    detail: 'Verify it, or ask an administrator of this instance',
  },
  approval_pending: {
    action: 'user.login_blocked_approval',
    message: 'The account waits for approval',
    detail: 'An administrator has to approve it first',
  },
  approval_rejected: {
    action: 'user.login_blocked_approval',
    message: 'The registration was rejected',
    detail: 'Ask an administrator of this instance',
  },
  account_unknown: {
    action: 'user.login_blocked_account_unknown',
    message: 'There is no account for this user',
    detail: 'Ask an administrator of this instance for one',
  },
  account_exists: {
    action: 'user.login_blocked_account_exists',
    message: 'The username or e-mail address is that of another account',
    detail: 'Sign in to that account with its own password',
  },
} as const;

/** The reason why a correct password was refused, by its error code. */
export const signInRefusal = (code: string): { readonly message: string; readonly detail: string } | undefined =>
  Object.hasOwn(blocked, code) ? blocked[code as keyof typeof blocked] : undefined;

/** The source of a correct password: the account itself, or a directory. */
type Known = { readonly own: SecuredAccount } | { readonly directory: string; readonly user: DirectoryUser };

interface Judged extends Omit<ProvedAccount, 'account'> {
  /** Undefined if the user has no account. */
  readonly account: Account | undefined;
  readonly block: keyof typeof blocked | undefined;
}

export function passwordSignIn(parts: IdentityParts, { blockOf }: SignInBlocks): Passwords {
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
  const judged = async (known: Known): Promise<Judged> => {
    if ('own' in known) {
      const { account, passwordHash } = known.own;
      return { account, passwordHash, directory: undefined, block: await blockOf(account) };
    }
    const { directory, user } = known;
    const named = isUsername(user.username) ? await accounts.byUsername(user.username) : undefined;
    const judgement = { passwordHash: undefined, directory };
    if (user.subject === undefined) return { ...judgement, account: named, block: named && (await blockOf(named)) };
    // A directory user with a subject needs an account linked to it, and linking is not implemented yet.
    const taken = named ?? (user.email === undefined ? undefined : await accounts.byEmail(user.email));
    return { ...judgement, account: taken, block: taken && 'account_exists' };
  };

  const userOf = ({ id, username, isAdmin }: Account) => ({ kind: 'user', id, username, isAdmin }) as const;

  const passwords: Passwords = {
    async prove(attempt) {
      const { username, password, ip, now } = attempt;
      const local = isUsername(username) ? await accounts.secured(username) : undefined;
      // Normalized as directories do (RFC 4518, section 2.3), so that different spellings of a name share one failure
      // count. Truncating keeps keys short; a name that is too long is wrong in any case. The text is also truncated
      // before it is normalized, because normalization sorts combining marks in quadratic time.
      const name = usernameKey(username.slice(0, signInNameLimit).normalize('NFKC')).slice(0, 2 * usernameLimit);
      const key = `sign-in:${name}@${clientNetwork(ip)}`;
      let unavailable: Unavailable | undefined;
      const check = async (): Promise<Known | undefined> => {
        const right = await passwordHasher.verify(password, local?.passwordHash, ip);
        // The hash may have waited for a slot, so the account is read again, and its password must be unchanged.
        const own = right ? await accounts.secured(username) : undefined;
        if (own !== undefined && own.account.id === local?.account.id && own.passwordHash === local.passwordHash)
          return { own };
        try {
          return await directories.find(username, password, { ip, now, waitSeconds: directorySeconds });
        } catch (error) {
          if (!(error instanceof Unavailable)) throw error;
          // Counts as a wrong password, so that an unavailable directory does not allow unlimited guesses.
          unavailable = error;
          return undefined;
        }
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
        if (unavailable !== undefined) throw unavailable;
        return undefined;
      }
      const { account, passwordHash, directory, block } = await judged(known);
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
