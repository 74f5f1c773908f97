// The account entity, the reasons that block sign-in, and the validation of profiles.
import { isLonger } from '#core/kernel/characters';
import { Forbidden, ValidationFailed } from '#core/kernel/errors';
import { isBotName } from './username.ts';

/** Whether an account may be used. */
export type AccountStatus = 'active' | 'suspended';
/** The state of a registration that needed approval. An account that needed none has no such state. */
export type ApprovalState = 'pending' | 'approved' | 'rejected';

/** An account without its password hash. */
export interface Account {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly displayName: string;
  readonly bio: string;
  readonly avatarUrl: string;
  /** Whether the user is an instance administrator. */
  readonly isAdmin: boolean;
  readonly status: AccountStatus;
  readonly approval: ApprovalState | undefined;
  readonly emailVerified: boolean;
  readonly createdAt: Date;
  /** When the user last signed in or the account last changed, whichever is later. Undefined before both. */
  readonly lastActiveAt: Date | undefined;
}

/** The members of an existing account that can change. */
export type AccountPatch = Partial<
  Pick<Account, 'email' | 'displayName' | 'bio' | 'avatarUrl' | 'isAdmin' | 'status' | 'emailVerified' | 'lastActiveAt'>
> & { readonly passwordHash?: string };

/** The members that users can change in their own account. */
export type Profile = Partial<Pick<Account, 'displayName' | 'bio' | 'avatarUrl' | 'email'>>;

/** The largest lengths, in UTF-16 code units (`text.length`). */
export const profileLimits = { email: 254, displayName: 100, bio: 1000, avatarUrl: 2048 } as const;

/** The form in which e-mail addresses are compared. */
export const emailKey = (email: string): string => email.toLowerCase();

const profileRules: readonly {
  readonly field: string;
  readonly of: keyof Profile;
  readonly good: (text: string) => boolean;
  readonly rule: string;
}[] = [
  {
    field: 'email',
    of: 'email',
    good: (text) => /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,189}$/u.test(text),
    rule: 'is an address like name@example.org',
  },
  { field: 'display_name', of: 'displayName', good: (text) => !/\p{Cc}/u.test(text), rule: 'is one line of text' },
  {
    field: 'bio',
    of: 'bio',
    good: (text) => !/[^\P{Cc}\n\r\t]/u.test(text),
    rule: 'is text without control characters',
  },
  {
    field: 'avatar_url',
    of: 'avatarUrl',
    good: (text) => text === '' || /^https?:\/\/[^\s\p{C}\\"'<>@/?#]+(?:[/?#][^\s\p{C}\\"'<>]*)?$/iu.test(text),
    rule: 'is an http or https URL, or empty',
  },
];

/** @throws {ValidationFailed} naming the first invalid field. */
export function checkProfile(profile: Profile): void {
  for (const { field, of, good, rule } of profileRules) {
    const text = profile[of];
    if (text === undefined) continue;
    const limit = profileLimits[of];
    if (isLonger(text, limit))
      throw new ValidationFailed('The profile is not valid', { detail: `"${field}" has at most ${limit} characters` });
    if (!good(text)) throw new ValidationFailed('The profile is not valid', { detail: `"${field}" ${rule}` });
  }
}

/** Rejects changes by which somebody could use the account of a bot. @throws {Forbidden} `account_is_bot` */
export function checkPerson({ username }: Account, refused: string): void {
  if (isBotName(username))
    throw new Forbidden(refused, { code: 'account_is_bot', detail: `"${username}" is used by its plugin alone` });
}

/** The settings that restrict sign-in. */
export interface SignInPolicy {
  readonly requireEmailVerification: boolean;
  readonly requireApproval: boolean;
}

/** Whether others see the profile: not while a registration waits for approval, nor after it was rejected. */
export const hasPublicProfile = ({ approval }: Pick<Account, 'approval'>): boolean =>
  approval !== 'pending' && approval !== 'rejected';

/**
 * Returns the reason why an account may not sign in; undefined if it may. A rejected registration stays blocked even if
 * approval is no longer required. Only a suspension blocks instance administrators: the last of them cannot be
 * suspended, so somebody can always sign in.
 */
export function signInBlock(
  account: Pick<Account, 'username' | 'status' | 'emailVerified' | 'approval' | 'isAdmin'>,
  policy: SignInPolicy,
):
  | 'account_is_bot'
  | 'account_suspended'
  | 'email_not_verified'
  | 'approval_pending'
  | 'approval_rejected'
  | undefined {
  if (isBotName(account.username)) return 'account_is_bot';
  if (account.status === 'suspended') return 'account_suspended';
  if (account.isAdmin) return undefined;
  if (policy.requireEmailVerification && !account.emailVerified) return 'email_not_verified';
  if (account.approval === 'rejected') return 'approval_rejected';
  if (policy.requireApproval && account.approval === 'pending') return 'approval_pending';
  return undefined;
}
