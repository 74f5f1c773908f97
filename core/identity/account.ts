// An account, what blocks its sign-in, and the validation of its profile.
import { ValidationFailed } from '#core/kernel/errors';

/** Whether an account may be used at all. */
export type AccountStatus = 'active' | 'suspended';
/** What became of a registration that needs approval; undefined for an account that needed none. */
export type ApprovalState = 'pending' | 'approved' | 'rejected';

/** An account, without what proves its password. */
export interface Account {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly displayName: string;
  readonly bio: string;
  readonly avatarUrl: string;
  /** The super-admin flag. */
  readonly isAdmin: boolean;
  readonly status: AccountStatus;
  readonly approval: ApprovalState | undefined;
  readonly emailVerified: boolean;
  readonly createdAt: Date;
  /** When it last signed in or was changed; undefined for one never touched since it was made. */
  readonly lastActiveAt: Date | undefined;
}

/** What may change in an account once it exists. */
export type AccountPatch = Partial<
  Pick<Account, 'email' | 'displayName' | 'bio' | 'avatarUrl' | 'isAdmin' | 'status' | 'emailVerified' | 'lastActiveAt'>
> & { readonly passwordHash?: string };

/** What users may change of their own account. */
export type Profile = Partial<Pick<Account, 'displayName' | 'bio' | 'avatarUrl' | 'email'>>;

/** In UTF-16 units, as JSON Schema's maxLength nearly is. */
export const profileLimits = { email: 254, displayName: 100, bio: 1000, avatarUrl: 2048 } as const;

/** E-mail addresses are compared in this form. */
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

/** @throws {ValidationFailed} naming the first field that breaks its rule. */
export function checkProfile(profile: Profile): void {
  for (const { field, of, good, rule } of profileRules) {
    const text = profile[of];
    if (text === undefined) continue;
    const limit = profileLimits[of];
    if (text.length > limit)
      throw new ValidationFailed('The profile is not valid', { detail: `"${field}" has at most ${limit} characters` });
    if (!good(text)) throw new ValidationFailed('The profile is not valid', { detail: `"${field}" ${rule}` });
  }
}

/** The settings that decide who may sign in. */
export interface SignInPolicy {
  readonly requireEmailVerification: boolean;
  readonly requireApproval: boolean;
}

/**
 * Why an account may not sign in (document A, "POST /auth/login"). A rejection outlives the setting that asked for
 * approval.
 */
export function signInBlock(
  account: Account,
  policy: SignInPolicy,
): 'account_suspended' | 'email_not_verified' | 'approval_pending' | 'approval_rejected' | undefined {
  if (account.status === 'suspended') return 'account_suspended';
  if (policy.requireEmailVerification && !account.emailVerified) return 'email_not_verified';
  if (account.approval === 'rejected') return 'approval_rejected';
  if (policy.requireApproval && account.approval === 'pending') return 'approval_pending';
  return undefined;
}
