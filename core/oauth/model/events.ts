// Events and audit actions of applications and grants. Payloads contain ids and no secrets.
import type { EventOf, EventType } from '#core/kernel/storage/events';

interface AboutClient {
  /** The id of the client's row, not its `client_id`. */
  readonly appId: string;
}

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'oauth_app.created': AboutClient;
    'oauth_app.updated': AboutClient;
    'oauth_app.deleted': AboutClient;
    'oauth_app.suspended': AboutClient;
    'oauth_app.unsuspended': AboutClient;
    'oauth_grant.approved': AboutClient & { readonly userId: string };
    'oauth_grant.revoked': AboutClient & { readonly userId: string };
  }
}

/** The event types that the plugin of this area emits. */
export const oauthEvents = [
  'oauth_app.created',
  'oauth_app.updated',
  'oauth_app.deleted',
  'oauth_app.suspended',
  'oauth_app.unsuspended',
  'oauth_grant.approved',
  'oauth_grant.revoked',
] as const satisfies readonly EventType[];

type Emitted<T extends EventType> = Omit<EventOf<T>, 'id' | 'at'>;
type AppEvent = Extract<(typeof oauthEvents)[number], `oauth_app.${string}`>;
type GrantEvent = Extract<(typeof oauthEvents)[number], `oauth_grant.${string}`>;

const aggregate = (appId: string): string => `oauth_app:${appId}`;

/** Builds an event about an application. @param actorId undefined for an application that registered itself. */
export const appEvent = <T extends AppEvent>(type: T, appId: string, actorId: string | undefined): Emitted<T> =>
  ({ type, aggregate: aggregate(appId), ...(actorId !== undefined && { actorId }), payload: { appId } }) as Emitted<T>;

/** Builds an event about a user's grant to an application. */
export const grantEvent = <T extends GrantEvent>(type: T, userId: string, appId: string): Emitted<T> =>
  ({ type, aggregate: aggregate(appId), actorId: userId, payload: { appId, userId } }) as Emitted<T>;

declare module '#core/kernel/services/audit' {
  interface AuditActions {
    'oauth_app.created': true;
    'oauth_app.registered': true;
    'oauth_app.updated': true;
    'oauth_app.secret_rotated': true;
    'oauth_app.suspended': true;
    'oauth_app.unsuspended': true;
    'oauth_app.deleted': true;
    'oauth_grant.approved': true;
    'oauth_grant.revoked': true;
    'oauth_grant.code_reused': true;
    'oauth_grant.refresh_token_reused': true;
  }
}
