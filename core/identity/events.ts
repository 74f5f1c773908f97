// The events of accounts, sessions and tokens. Payloads hold ids and names, no secret and no address.
import type { EventType } from '#core/kernel/events';

declare module '#core/kernel/events' {
  interface EventPayloads {
    'user.created': { readonly userId: string; readonly username: string };
    /** `fields` are the members of the account that changed, by their names in the API. */
    'user.updated': { readonly userId: string; readonly username: string; readonly fields: readonly string[] };
    'user.suspended': { readonly userId: string; readonly username: string };
    'user.reactivated': { readonly userId: string; readonly username: string };
    'user.deleted': { readonly userId: string; readonly username: string };
    /** Every session and token of the user has ended. */
    'user.credentials_revoked': { readonly userId: string };
    'token.created': { readonly userId: string; readonly tokenId: string };
    'token.revoked': { readonly userId: string; readonly tokenId: string };
    /** A session ended before its time: signed out, or given away by a refresh token used twice. */
    'session.ended': { readonly userId: string; readonly sessionId: string };
  }
}

/** What the plugin of this area emits. */
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
] as const satisfies readonly EventType[];

/** The aggregate under which the events of one user are ordered. */
export const userAggregate = (id: string): string => `user:${id}`;
