// The reasons that refuse a known user, and those that refuse the answer of a provider: their error codes and words.
import { mostIdentities } from '../model/external-identity.ts';

/** Reasons that refuse a user who is known, by error code: the audit action and the error message. */
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

/** The code of a reason that refuses a known user. */
export type Block = keyof typeof blocked;

/** Reasons that refuse the answer of a provider, by error code. */
export const refusedAnswers = {
  sign_in_not_started: {
    message: 'This browser has not started the sign-in, or it took too long',
    detail: 'Start again',
  },
  sign_in_replayed: { message: 'The answer of the provider was used before', detail: 'Start again' },
  access_denied: { message: 'The sign-in was cancelled at the provider', detail: 'Start again, or sign in otherwise' },
  provider_unavailable: {
    message: 'The provider does not answer',
    detail: 'Try again later, or sign in with a password',
  },
  provider_refused: {
    message: 'The provider refused the sign-in',
    detail: 'Start again, or ask an administrator of this instance',
  },
  provider_answer_invalid: {
    message: 'The answer of the provider is not valid',
    detail: 'Start again, or ask an administrator of this instance',
  },
  identity_taken: {
    message: 'This user of the provider is linked to another account',
    detail: 'Sign in to that account, and unlink it there first',
  },
  too_many_identities: {
    message: 'There is no room for another identity',
    detail: `An account has at most ${mostIdentities}; unlink one`,
  },
} as const;

interface Words {
  readonly message: string;
  readonly detail: string;
}

/** The reason of a refused sign-in, by its error code. A plugin of a provider may use other codes. */
export const signInRefusal = (code: string): Words | undefined => {
  if (Object.hasOwn(blocked, code)) return blocked[code as keyof typeof blocked];
  if (Object.hasOwn(refusedAnswers, code)) return refusedAnswers[code as keyof typeof refusedAnswers];
  return /^[a-z][a-z_]{1,62}$/.test(code)
    ? { message: 'The answer of the provider was refused', detail: `The reason is ${code}; an administrator can help` }
    : undefined;
};
