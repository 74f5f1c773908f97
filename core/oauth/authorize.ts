// The authorization endpoint: what the user is asked, and what becomes of the answer (document A, "GET and POST
// /api/v1/oauth2/authorize").
import { randomBase62, secondsAfter } from '#core/identity/index';
import { auditEntry } from '#core/kernel/audit';
import type { Call, User } from '#core/kernel/caller';
import { Unauthorized } from '#core/kernel/errors';
import {
  demandOf,
  destinationOf,
  type AuthorizationParameters,
  type Demand,
  type Destination,
} from './authorization-request.ts';
import type { Client } from './client.ts';
import { AccessDenied, ConsentRequired, InvalidClient, InvalidRequest, OAuthRefusal } from './errors.ts';
import { grantEvent } from './events.ts';
import { codeSeconds, secretLength, type Grant } from './grant.ts';
import type { OAuthParts } from './parts.ts';
import { originOf, withParameters } from './redirect-uri.ts';
import { checkEnabled } from './switch.ts';

/** What the page of consent shows. */
export interface ConsentQuestion {
  readonly client: Client;
  readonly scopes: readonly string[];
  readonly rememberedScopes: readonly string[] | undefined;
  /** Where the answer goes. */
  readonly redirectHost: string;
}

/** What comes of a request. */
export type Authorization =
  /** The browser is sent to the client with an error. */
  | { readonly outcome: 'refused'; readonly url: string }
  /** The browser is sent to the client with a code, or with the user's refusal. */
  | { readonly outcome: 'answered'; readonly url: string }
  | { readonly outcome: 'asked'; readonly question: ConsentQuestion };

/** The answer of the user. */
export interface Decision {
  /** Anything but `cancel` approves. */
  readonly decision?: string;
  /** `true` keeps the answer, `false` forgets what was kept. */
  readonly remember?: string;
}

interface Asked {
  readonly destination: Destination;
  readonly demand: Demand;
  readonly authTime: Date;
}

/** What need not be asked again, and for which origin that holds. */
type Kept = Pick<Grant, 'remembered' | 'redirectOrigin'>;

export function authorization(parts: OAuthParts) {
  const { clients, grants, issued, vouching, settings, digests, unitOfWork, ids, baseUrl } = parts;

  const callback = ({ redirectUri, state }: Destination, parameters: Readonly<Record<string, string>>): string =>
    withParameters(redirectUri, { ...parameters, state, iss: baseUrl });

  const told = (destination: Destination, { code: error, message }: OAuthRefusal): string =>
    callback(destination, { error, error_description: message });

  /** Works on a request whose redirect URI is the client's: what is refused from here on is told there. */
  const within = async (
    call: Call<User>,
    parameters: AuthorizationParameters,
    work: (asked: Asked) => Promise<Authorization>,
  ): Promise<Authorization> => {
    await checkEnabled(settings);
    const destination = await destinationOf(parameters, (clientId) => clients.findOne({ clientId }));
    try {
      const authTime = await vouching.signedInAt(call.caller.credential.id, call.now);
      if (authTime === undefined) throw sessionOver();
      return await work({
        destination,
        demand: demandOf(parameters, destination, call.now, { baseUrl, authTime }),
        authTime,
      });
    } catch (error) {
      if (!(error instanceof OAuthRefusal) || error instanceof InvalidClient) throw error;
      return { outcome: 'refused', url: told(destination, error) };
    }
  };

  const grantOf = (call: Call<User>, { destination, demand }: Asked): Promise<Grant | undefined> =>
    grants.findOne({ userId: call.caller.id, clientId: destination.client.id, resource: demand.resource });

  /**
   * Keeps what was granted and mints a code, in one unit of work.
   * @throws {Unauthorized} where the session has ended meanwhile. @throws {InvalidClient} where the client has.
   */
  const approve = async (
    call: Call<User>,
    { destination, demand, authTime }: Asked,
    kept: (before: Grant | undefined) => Kept,
  ): Promise<Authorization> => {
    const { client, redirectUri, challenge } = destination;
    const { scopes, resource, nonce } = demand;
    const { caller, now } = call;
    const code = randomBase62(ids, secretLength);
    await unitOfWork.run(async () => {
      if ((await vouching.held(caller.id)) === undefined) throw sessionOver();
      if ((await vouching.signedInAt(caller.credential.id, now)) === undefined) throw sessionOver();
      // Held, so that a suspension waits for this code or is seen here.
      const held = await clients.update({ id: client.id, suspended: false }, {});
      if (held === undefined) throw new InvalidClient('authorization');
      const before = await grantOf(call, { destination, demand, authTime });
      const { remembered, redirectOrigin } = kept(before);
      // What it holds tokens for already is not hidden by asking for less.
      const granted = [...new Set([...(before?.scopes ?? []), ...scopes])];
      const said = { scopes: granted, remembered, redirectOrigin, updatedAt: now };
      const grant =
        before === undefined
          ? await grants.insert({
              id: ids.uuid(),
              userId: caller.id,
              clientId: client.id,
              resource,
              createdAt: now,
              ...said,
            })
          : await grants.update({ id: before.id }, said);
      if (grant === undefined) throw new InvalidClient('authorization');
      await issued.insertCode(
        {
          grantId: grant.id,
          sessionId: caller.credential.id,
          redirectUri,
          challenge,
          scopes,
          nonce,
          authTime,
          createdAt: now,
          expiresAt: secondsAfter(now, codeSeconds),
          takenAt: null,
          familyId: null,
        },
        digests.hash(code),
      );
      await parts.audit.append(
        auditEntry(call, 'oauth_grant.approved', `oauth_app:${client.id}`, {
          client_id: client.clientId,
          scopes,
          resource,
          remembered: remembered !== null,
        }),
      );
      await parts.events.emit(grantEvent('oauth_grant.approved', call.caller.id, client.id));
    });
    return { outcome: 'answered', url: callback(destination, { code }) };
  };

  /** Takes back what was remembered; the tokens that were issued stay. */
  const forget = (call: Call<User>, asked: Asked): Promise<void> =>
    unitOfWork.run(async () => {
      const before = await grantOf(call, asked);
      if (before === undefined || before.remembered === null) return;
      await grants.update({ id: before.id }, { remembered: null, updatedAt: call.now });
      const { id, clientId } = asked.destination.client;
      const about = { client_id: clientId, resource: before.resource, remembered: false };
      await parts.audit.append(auditEntry(call, 'oauth_grant.revoked', `oauth_app:${id}`, about));
    });

  return {
    /**
     * @param elsewhere whether a page of another site made the browser ask: then no code is made without the user.
     * @throws {OAuthRefusal} where the browser cannot be sent to the client.
     */
    ask: (
      call: Call<User>,
      parameters: AuthorizationParameters,
      { elsewhere = false }: { readonly elsewhere?: boolean } = {},
    ): Promise<Authorization> =>
      within(call, parameters, async (asked) => {
        const { destination, demand } = asked;
        const { client, redirectUri } = destination;
        const grant = await grantOf(call, asked);
        const covers = (given: Grant | undefined): given is Grant =>
          given !== undefined &&
          demand.scopes.every((scope) => given.remembered?.includes(scope)) &&
          given.redirectOrigin === originOf(redirectUri);
        if (covers(grant) && demand.consent !== 'always' && !elsewhere)
          return approve(call, asked, (before) => {
            // Forgotten or taken back since it was looked at.
            if (!covers(before)) throw unasked();
            return before;
          });
        if (demand.consent === 'never') throw unasked();
        return {
          outcome: 'asked',
          question: {
            client,
            scopes: demand.scopes,
            rememberedScopes: grant?.remembered ?? undefined,
            redirectHost: new URL(redirectUri).host,
          },
        };
      }),

    /** @throws {OAuthRefusal} as `ask`. */
    decide: (
      call: Call<User>,
      parameters: AuthorizationParameters,
      { decision, remember }: Decision,
    ): Promise<Authorization> => {
      // Told to the browser, for it is the page that left it out.
      if (decision === undefined) throw new InvalidRequest('The field decision is missing');
      return within(call, parameters, async (asked) => {
        if (decision === 'cancel') {
          if (remember === 'false') await forget(call, asked);
          return { outcome: 'answered', url: told(asked.destination, denied()) };
        }
        const redirectOrigin = originOf(asked.destination.redirectUri);
        return approve(call, asked, (before) => {
          if (remember === 'true') return { remembered: asked.demand.scopes, redirectOrigin };
          return remember === 'false' || before === undefined ? { remembered: null, redirectOrigin } : before;
        });
      });
    },
  };
}

const sessionOver = (): Unauthorized => new Unauthorized('The session has ended', { detail: 'Sign in again' });
const denied = (): AccessDenied => new AccessDenied('The user denied the request');
const unasked = (): ConsentRequired => new ConsentRequired('The user has to be asked for consent');
