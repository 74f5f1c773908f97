// Events and audit entries of applications and grants. Payloads contain ids and no secrets.
import type { Call, User } from '#core/kernel/caller';
import { auditEntry, type AuditAction, type AuditEntry } from '#core/kernel/services/audit';
import type { EventType } from '#core/kernel/storage/events';
import type { Client } from './client.ts';
import type { OAuthParts } from './parts.ts';

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

type AppEvent = Extract<(typeof oauthEvents)[number], `oauth_app.${string}`>;
type GrantEvent = Extract<(typeof oauthEvents)[number], `oauth_grant.${string}`>;
type Parts = Pick<OAuthParts, 'audit' | 'events'>;
type Named = Pick<Client, 'id' | 'clientId'>;

const aggregate = (appId: string): string => `oauth_app:${appId}`;

/** Writes an audit entry about an application, or about grants to it. */
export const noteApp = (
  { audit }: Pick<Parts, 'audit'>,
  call: Call,
  action: AuditAction & `oauth_${string}`,
  { id, clientId }: Named,
  details: AuditEntry['details'] = {},
): Promise<void> => audit.append(auditEntry(call, action, aggregate(id), { client_id: clientId, ...details }));

/**
 * Writes the audit entry of a change of an application, and emits its event.
 * @param action the audit action, if it has another name than the event.
 */
export async function tellApp(
  parts: Parts,
  call: Call,
  type: AppEvent,
  client: Named,
  details: AuditEntry['details'] = {},
  action: AuditAction & `oauth_app.${string}` = type,
): Promise<void> {
  await noteApp(parts, call, action, client, details);
  // An application that registers itself has no actor.
  const actor = call.caller.kind === 'user' && { actorId: call.caller.id };
  await parts.events.emit({ type, aggregate: aggregate(client.id), ...actor, payload: { appId: client.id } });
}

/** Writes the audit entry of a change of the caller's grant to an application, and emits its event. */
export async function tellGrant(
  parts: Parts,
  call: Call<User>,
  type: GrantEvent,
  client: Named,
  details: AuditEntry['details'] = {},
): Promise<void> {
  await noteApp(parts, call, type, client, details);
  const { id: userId } = call.caller;
  const payload = { appId: client.id, userId };
  await parts.events.emit({ type, aggregate: aggregate(client.id), actorId: userId, payload });
}

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

/** The audit actions that the plugin of this area appends. */
export const oauthAudits = [
  'oauth_app.created',
  'oauth_app.registered',
  'oauth_app.updated',
  'oauth_app.secret_rotated',
  'oauth_app.suspended',
  'oauth_app.unsuspended',
  'oauth_app.deleted',
  'oauth_grant.approved',
  'oauth_grant.revoked',
  'oauth_grant.code_reused',
  'oauth_grant.refresh_token_reused',
] as const satisfies readonly AuditAction[];
