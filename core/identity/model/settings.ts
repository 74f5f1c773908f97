// Settings of registration and sign-in.
import type { SettingSpec } from '#core/kernel/services/settings';

declare module '#core/kernel/services/settings' {
  interface SettingValues {
    'signup.enabled': boolean;
    'signup.require_approval': boolean;
    'auth.require_email_verification': boolean;
    'auth.auto_create': boolean;
    'git.password_auth': boolean;
  }
}

/** The settings of registration and sign-in. */
export const identitySettings: readonly SettingSpec[] = [
  { key: 'signup.enabled', type: 'boolean', default: false, description: 'Anyone may register an account' },
  {
    key: 'signup.require_approval',
    type: 'boolean',
    default: false,
    description: 'A registered account waits for an administrator before it may sign in',
  },
  {
    key: 'auth.require_email_verification',
    type: 'boolean',
    default: false,
    description: 'An account whose e-mail address is not verified may not sign in',
  },
  {
    key: 'auth.auto_create',
    type: 'boolean',
    default: true,
    description: 'The first sign-in through a directory or another provider creates an account',
  },
  {
    key: 'git.password_auth',
    type: 'boolean',
    default: true,
    description: 'Whether git over HTTP accepts the password of an account; tokens are accepted either way',
  },
];
