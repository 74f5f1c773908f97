// Events and audit actions of accounts, sessions, tokens and groups. Payloads contain ids and names, but no secrets and
// no addresses.
import type { AuditAction } from '#core/kernel/services/audit';
import type { EventType } from '#core/kernel/storage/events';
import { declareAccessEvents } from '#core/kernel/storage/live';

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'user.created': { readonly userId: string; readonly username: string };
    /** `fields` are the changed members of the account, by their names in the API. */
    'user.updated': { readonly userId: string; readonly username: string; readonly fields: readonly string[] };
    'user.suspended': { readonly userId: string; readonly username: string };
    'user.reactivated': { readonly userId: string; readonly username: string };
    'user.deleted': { readonly userId: string; readonly username: string };
    /** All sessions and tokens of the user have ended. */
    'user.credentials_revoked': { readonly userId: string };
    'token.created': { readonly userId: string; readonly tokenId: string };
    'token.revoked': { readonly userId: string; readonly tokenId: string };
    'identity.linked': { readonly userId: string; readonly provider: string };
    'identity.unlinked': { readonly userId: string; readonly provider: string };
    'user_group.created': { readonly group_id: string; readonly slug: string };
    /** `changed` are the changed members, by their names in the API. */
    'user_group.updated': { readonly group_id: string; readonly slug: string; readonly changed: readonly string[] };
    'user_group.deleted': { readonly group_id: string; readonly slug: string };
    'user_group.member_added': { readonly group_id: string; readonly user_id: string };
    'user_group.member_removed': { readonly group_id: string; readonly user_id: string };
    /** A session ended before it expired: by sign-out, or because a refresh token was used twice. */
    'session.ended': { readonly userId: string; readonly sessionId: string };
  }
}

/** Actions of this area that write an audit entry. See docs/api/audit.md. */
declare module '#core/kernel/services/audit' {
  interface AuditActions {
    'user.login': true;
    'user.login_failed': true;
    'user.login_throttled': true;
    'user.login_blocked_bot': true;
    'user.login_blocked_suspended': true;
    'user.login_blocked_email_not_verified': true;
    'user.login_blocked_approval': true;
    'user.login_blocked_account_unknown': true;
    'user.login_blocked_account_exists': true;
    'user.logout': true;
    'session.refresh_token_reused': true;
    'user.registered': true;
    'user.created': true;
    'user.updated': true;
    'user.suspended': true;
    'user.deleted': true;
    'user.password_set': true;
    'user.password_changed': true;
    'user.password_change_refused': true;
    'user.password_reset': true;
    'user.tokens_revoked': true;
    'token.created': true;
    'token.revoked': true;
    'identity.linked': true;
    'identity.unlinked': true;
    'user_group.created': true;
    'user_group.updated': true;
    'user_group.deleted': true;
    'user_group.member_added': true;
    'user_group.member_removed': true;
  }
}

/** The event types that the plugin of this area emits. */
export const identityEvents = [
  'user.created',
  'user.updated',
  'user.suspended',
  'user.reactivated',
  'user.deleted',
  'user.credentials_revoked',
  'token.created',
  'token.revoked',
  'session.ended',
  'identity.linked',
  'identity.unlinked',
  'user_group.created',
  'user_group.updated',
  'user_group.deleted',
  'user_group.member_added',
  'user_group.member_removed',
] as const satisfies readonly EventType[];

// `user.updated` is included because it may report that a user is no longer an administrator.
declareAccessEvents(
  'user.updated',
  'user.suspended',
  'user.deleted',
  'user.credentials_revoked',
  'token.revoked',
  'session.ended',
);

/** The aggregate that orders the events of one user. */
export const userAggregate = (id: string): string => `user:${id}`;

/** The audit actions that the plugin of this area appends. */
export const identityAudits = [
  'user.login',
  'user.login_failed',
  'user.login_throttled',
  'user.login_blocked_bot',
  'user.login_blocked_suspended',
  'user.login_blocked_email_not_verified',
  'user.login_blocked_approval',
  'user.login_blocked_account_unknown',
  'user.login_blocked_account_exists',
  'user.logout',
  'session.refresh_token_reused',
  'user.registered',
  'user.created',
  'user.updated',
  'user.suspended',
  'user.deleted',
  'user.password_set',
  'user.password_changed',
  'user.password_change_refused',
  'user.password_reset',
  'user.tokens_revoked',
  'token.created',
  'token.revoked',
  'identity.linked',
  'identity.unlinked',
  'user_group.created',
  'user_group.updated',
  'user_group.deleted',
  'user_group.member_added',
  'user_group.member_removed',
] as const satisfies readonly AuditAction[];
