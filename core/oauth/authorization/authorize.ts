// Use cases of the authorization endpoint: asks the user for consent, and processes the decision.
import { randomBase62, secondsAfter } from '#core/identity/index';
import type { Call, User } from '#core/kernel/caller';
import { Unauthorized } from '#core/kernel/errors';
import {
  demandOf,
  destinationOf,
  type AuthorizationParameters,
  type Demand,
  type Destination,
} from './authorization-request.ts';
import type { Client } from '../model/client.ts';
import {
  AccessDenied,
  ConsentRequired,
  InvalidClient,
  InvalidRequest,
  LoginRequired,
  OAuthRefusal,
} from '../model/errors.ts';
import { noteApp, tellGrant } from '../model/events.ts';
import { codeSeconds, secretLength, type Grant } from '../model/grant.ts';
import { roomForGrant } from '../applications/grants.ts';
import { withOwner } from '../applications/owner-suspension.ts';
import type { OAuthParts } from '../model/parts.ts';
import { originOf, withParameters } from '../model/redirect-uri.ts';
import { digestOf, isAbout, sameClient, type Named } from './shown-question.ts';

/** The content of the consent page. */
export interface ConsentQuestion {
  /** The user who is asked. */
  readonly username: string;
  readonly client: Client;
  readonly scopes: readonly string[];
  readonly rememberedScopes: readonly string[] | undefined;
  /** The only resource that will accept the tokens; empty for the REST API. */
  readonly resource: string;
  /** The redirect URI that receives the response. */
  readonly redirectUri: string;
  /** Returned with the decision, it shows that the decision is about this question. */
  readonly shown: string;
}

/** The result of an authorization request, or of a decision: a question if the decision was about another one. */
export type Authorization = Decided | Question;
type Question = { readonly outcome: 'asked'; readonly question: ConsentQuestion };
export type Decided =
  /**
   * The browser is redirected to the client with an error; or to sign-in, if that resolves the error and the client
   * allows it.
   */
  | { readonly outcome: 'refused'; readonly url: string; readonly signIn: boolean }
  /** The browser is redirected to the client with a code, or with the error that the user denied the request. */
  | { readonly outcome: 'answered'; readonly url: string };

/** The decision of the user, and what it is about. */
export interface Decision extends Named {
  /** Any value except `cancel` approves. */
  readonly decision?: string;
  /** `true` remembers the consent, `false` forgets a remembered one. */
  readonly remember?: string;
}

interface Asked {
  readonly call: Call<User>;
  readonly destination: Destination;
  readonly demand: Demand;
  readonly authTime: Date;
}

/** The remembered consent, and the origin that it is valid for. */
type Kept = Pick<Grant, 'remembered' | 'redirectOrigin'>;

export function authorization(parts: OAuthParts) {
  const { clients, grants, issued, vouching, digests, unitOfWork, ids, baseUrl } = parts;

  const callback = ({ redirectUri, state }: Destination, parameters: Readonly<Record<string, string>>): string =>
    withParameters(redirectUri, { ...parameters, state, iss: baseUrl });

  const told = (destination: Destination, { code: error, message }: OAuthRefusal): string =>
    callback(destination, { error, error_description: message });

  /** Validates a request and runs `work`. Once the redirect URI is validated, errors are sent there. */
  const within = async <T extends Authorization>(
    call: Call,
    parameters: AuthorizationParameters,
    work: (asked: Asked) => Promise<T>,
  ): Promise<T | Decided> => {
    const destination = await destinationOf(parameters, async (clientId) => {
      const found = await clients.findOne({ clientId });
      return found && withOwner(parts, found);
    });
    try {
      const demand = demandOf(parameters, destination, baseUrl);
      // 9. The requested user has signed in recently enough. A token does not count as a sign-in.
      const authTime = isUsers(call) ? await vouching.signedInAt(call.caller.credential.id, call.now) : undefined;
      if (
        !isUsers(call) ||
        authTime === undefined ||
        (demand.userId !== undefined && demand.userId !== call.caller.id) ||
        call.now.getTime() - authTime.getTime() > demand.oldestSignIn * 1000
      )
        throw new LoginRequired({ mayAsk: demand.consent !== 'never' });
      return await work({ call, destination, demand, authTime });
    } catch (error) {
      if (!(error instanceof OAuthRefusal) || error instanceof InvalidClient) throw error;
      const signIn = error instanceof LoginRequired && error.mayAsk;
      return { outcome: 'refused', url: told(destination, error), signIn };
    }
  };

  /** The members by which the grant is unique. */
  const keyOf = ({ call, destination, demand }: Asked) => ({
    userId: call.caller.id,
    clientId: destination.client.id,
    resource: demand.resource,
  });

  const shownOf = ({ call, destination, demand }: Asked) => ({
    userId: call.caller.id,
    client: destination.client,
    scopes: demand.scopes,
    resource: demand.resource,
    redirectUri: destination.redirectUri,
  });

  const question = (asked: Asked, grant: Grant | undefined): Question => {
    const { userId: _userId, ...shown } = shownOf(asked);
    const rememberedScopes = grant?.remembered ?? undefined;
    const digest = digestOf(shownOf(asked), digests);
    const { username } = asked.call.caller;
    return { outcome: 'asked', question: { ...shown, username, rememberedScopes, shown: digest } };
  };

  /**
   * Stores the grant and issues a code, in one unit of work.
   * @returns a question if the client has changed since the request was validated.
   * @throws {Unauthorized} if the session has ended. @throws {InvalidClient} if the client was deleted or suspended.
   */
  const approve = async (asked: Asked, kept: (before: Grant | undefined) => Kept): Promise<Decided | Question> => {
    const { call, destination, demand, authTime } = asked;
    const { client, redirectUri, challenge } = destination;
    const { scopes, resource, nonce } = demand;
    const { caller, now } = call;
    const code = randomBase62(ids, secretLength);
    const approved = await unitOfWork.run(async () => {
      if ((await vouching.held(caller.id)) === undefined) throw sessionOver();
      if ((await vouching.signedInAt(caller.credential.id, now)) === undefined) throw sessionOver();
      // Locks the client, so that a suspension either waits for this code or is detected here.
      const held = await clients.update({ id: client.id, suspended: false }, {});
      if (held === undefined || (await withOwner(parts, held)).suspended) throw new InvalidClient('authorization');
      if (!sameClient(held, client)) return false;
      const before = await grants.findOne(keyOf(asked));
      const { remembered, redirectOrigin } = kept(before);
      // Keeps earlier scopes: the client may hold tokens with them, and the user must still see them.
      const granted = [...new Set([...(before?.scopes ?? []), ...scopes])];
      if (before === undefined) await roomForGrant(parts, call);
      const said = { scopes: granted, remembered, redirectOrigin, updatedAt: now };
      const grant =
        before === undefined
          ? await grants.insert({ id: ids.uuid(), ...keyOf(asked), createdAt: now, ...said })
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
      const details = { scopes, resource, remembered: remembered !== null };
      await tellGrant(parts, call, 'oauth_grant.approved', client, details);
      return true;
    });
    if (!approved) return question(asked, await grants.findOne(keyOf(asked)));
    return { outcome: 'answered', url: callback(destination, { code }) };
  };

  /** Forgets the remembered consent. Issued tokens stay valid. */
  const forget = (asked: Asked): Promise<void> =>
    unitOfWork.run(async () => {
      const { call, destination, demand } = asked;
      const before = await grants.findOne(keyOf(asked));
      if (before === undefined || before.remembered === null) return;
      await grants.update({ id: before.id }, { remembered: null, updatedAt: call.now });
      const details = { resource: demand.resource, remembered: false };
      await noteApp(parts, call, 'oauth_grant.revoked', destination.client, details);
    });

  return {
    /**
     * @param elsewhere whether a page of another site caused the request. If so, no code is issued without asking the
     * user.
     * @throws {OAuthRefusal} if the browser cannot be redirected to the client.
     */
    ask: (
      call: Call,
      parameters: AuthorizationParameters,
      { elsewhere = false }: { readonly elsewhere?: boolean } = {},
    ): Promise<Authorization> =>
      within(call, parameters, async (asked): Promise<Authorization> => {
        const { redirectUri } = asked.destination;
        const { scopes, consent } = asked.demand;
        const grant = await grants.findOne(keyOf(asked));
        const covers = (given: Grant | undefined): given is Grant =>
          given !== undefined &&
          scopes.every((scope) => given.remembered?.includes(scope)) &&
          given.redirectOrigin === originOf(redirectUri);
        if (covers(grant) && consent !== 'always' && !elsewhere)
          return approve(asked, (before) => {
            // The remembered consent was forgotten or revoked since it was read.
            if (!covers(before)) throw unasked();
            return before;
          });
        if (consent === 'never') throw unasked();
        return question(asked, grant);
      }),

    /** The user is asked again if the decision is about another question. @throws {OAuthRefusal} as `ask`. */
    decide: (
      call: Call,
      parameters: AuthorizationParameters,
      { decision, remember, ...named }: Decision,
    ): Promise<Authorization> => {
      // Shown in the browser, because the consent page omitted the field.
      if (decision === undefined) throw new InvalidRequest('The field decision is missing');
      return within(call, parameters, async (asked): Promise<Authorization> => {
        if (decision === 'cancel') {
          if (remember === 'false') await forget(asked);
          return { outcome: 'answered', url: told(asked.destination, denied()) };
        }
        const context = { digests, asked: parameters.scope, signedInAt: asked.authTime };
        if (!isAbout(shownOf(asked), named, context)) return question(asked, await grants.findOne(keyOf(asked)));
        const redirectOrigin = originOf(asked.destination.redirectUri);
        return approve(asked, (before) => {
          if (remember === 'true') return { remembered: asked.demand.scopes, redirectOrigin };
          return remember === 'false' || before === undefined ? { remembered: null, redirectOrigin } : before;
        });
      });
    },
  };
}

const isUsers = (call: Call): call is Call<User> => call.caller.kind === 'user';
const sessionOver = (): Unauthorized => new Unauthorized('The session has ended', { detail: 'Sign in again' });
const denied = (): AccessDenied => new AccessDenied('The user denied the request');
const unasked = (): ConsentRequired => new ConsentRequired('The user has to be asked for consent');
