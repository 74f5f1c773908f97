// The one access decision: caller × credential × scope × permission × visibility, denied by default.
import type { AdminGrants } from './admin-grants.ts';
import type { Call, Caller, User } from './caller.ts';
import { Forbidden, InsufficientScope, NotFound, Unauthorized } from './errors.ts';
import { declarePort } from './ports.ts';
import type { ScopeCatalogue, ScopeName } from './scopes.ts';

/** Open: kinds of guarded things and their entity, such as `repository: Repository`. */
export interface Resources {}
/** The name of a kind of guarded thing. */
export type ResourceKind = keyof Resources & string;

/**
 * Open: permission name → the kind of thing it is about, such as `'repo.read': 'repository'`; or several, where they
 * are views of one thing.
 */
export interface Permissions {}
/** The names of the permissions on things of a kind. */
export type PermissionOn<K extends ResourceKind> = {
  [P in keyof Permissions]: K extends Permissions[P] ? P : never;
}[keyof Permissions] &
  string;

/** The caller's standing on one thing, as the area that owns it sees it. */
export interface Standing<R> {
  readonly resource: R;
  /** Whether the caller may know that it exists. */
  readonly readable: boolean;
  may(permission: string): boolean;
}

/**
 * Finds guarded things from path parameters, once per request: a function for each kind. Provided by the plugin that
 * owns the kinds.
 */
export type ResourceResolver<K extends ResourceKind = ResourceKind> = {
  readonly [Kind in K]?: (
    caller: Caller,
    params: Readonly<Record<string, string>>,
  ) => Promise<Standing<Resources[Kind]> | undefined>;
};

/** What a route asks for. A route without one does not compile. */
export type AccessRule =
  /** Anyone; a bad credential is still 401. */
  | { readonly who: 'anyone' }
  /** Any good credential. */
  | { readonly who: 'signed-in' }
  /** A session (or password), never a token: what a token could use to widen itself. */
  | { readonly who: 'session' }
  /** The super-admin flag, or a grant of every one of these admin scopes. */
  | { readonly who: 'admin'; readonly scopes: readonly string[] }
  /** The super-admin flag itself. */
  | { readonly who: 'super-admin' }
  | ResourceRule;

/** A rule about one thing and a permission on it; `reads` and `changes` make it. */
export interface ResourceRule<
  K extends ResourceKind = ResourceKind,
  P extends string = string,
  N extends boolean = boolean,
> {
  readonly who: 'permitted';
  readonly resource: K;
  readonly permission: P;
  /** A change needs a user whatever the thing is, so an anonymous caller is refused before anything is looked up. */
  readonly needsUser: N;
  /** What an anonymous caller who is refused sees. */
  readonly anonymous: 401 | 404;
  /** What a signed-in caller sees who may not know the thing exists. */
  readonly hidden: 404 | 403;
  /** What a caller sees who may read the thing but lacks the permission. */
  readonly lacking: 403 | 404;
  /** An admin scope whose holders may do this whatever their standing, as an instance administrator may. */
  readonly orAdminScope?: string | undefined;
}

/** Anyone may; a bad credential is still 401. */
export const anyone = { who: 'anyone' } as const;
/** Whoever has signed in or shows a good token. */
export const signedIn = { who: 'signed-in' } as const;
/** Whoever has signed in with a password or a session; no token. */
export const session = { who: 'session' } as const;
/** Administrators of the instance. */
export const superAdmin = { who: 'super-admin' } as const;
/** Administrators of the instance, and users who were granted every one of these admin scopes. */
export const admin = (...scopes: readonly string[]) => ({ who: 'admin', scopes }) as const;

/**
 * A read: whoever may not read sees 404, an anonymous caller too unless `anonymous` says 401.
 *
 * @example
 *   const access = reads('repository', 'repo.read');
 */
export function reads<K extends ResourceKind, P extends PermissionOn<K>>(
  resource: K,
  permission: P,
  options: { readonly anonymous?: 401 | 404 } = {},
): ResourceRule<K, P, false> {
  return {
    who: 'permitted',
    resource,
    permission,
    needsUser: false,
    anonymous: options.anonymous ?? 404,
    hidden: 404,
    lacking: 403,
  };
}

/**
 * A change: 401 without a credential, 404 to who may not read, 403 to who may read but not this.
 *
 * @example
 *   const access = changes('repository', 'repo.write');
 */
export function changes<K extends ResourceKind, P extends PermissionOn<K>>(
  resource: K,
  permission: P,
  refusal: { readonly hidden?: 404 | 403; readonly lacking?: 403 | 404; readonly orAdminScope?: string } = {},
): ResourceRule<K, P, true> {
  return {
    who: 'permitted',
    resource,
    permission,
    needsUser: true,
    anonymous: 401,
    hidden: refusal.hidden ?? 404,
    lacking: refusal.lacking ?? 403,
    orAdminScope: refusal.orAdminScope,
  };
}

declare const permission: unique symbol;
/**
 * Proof that the decision was taken for this call. Only the decision makes one, so nobody reaches a use case unchecked.
 */
export interface Granted<R, P extends string, C extends Caller = Caller> {
  readonly resource: R;
  /** Whose call it is: of a change (`changes`) a user's. */
  readonly call: Call<C>;
  /**
   * Whether the caller also holds another permission on the same thing. Nobody holds one that no plugin contributes, as
   * where the plugin that does is off.
   */
  may(permission: string): boolean;
  /**
   * The proof as it would be at this moment: the credential is asked again, and the decision taken again about the same
   * thing. To be called before the effect, where that comes a while after the decision.
   * @throws {Unauthorized | InsufficientScope | Forbidden | NotFound}
   */
  renew(): Promise<Granted<R, P, C>>;
  readonly [permission]: P;
}

/** What `decide` yields for a rule. */
export type GrantOf<A> =
  A extends ResourceRule<infer K, infer P, infer N>
    ? Granted<Resources[K], P, N extends true ? User : Caller>
    : undefined;

/** The call a handler under a rule receives: past any rule but these two there is a user. */
export type CallOf<A> = A extends { readonly who: 'anyone' } | { readonly needsUser: false } ? Call : Call<User>;

/** The port that takes every access decision. */
export interface AccessDecision {
  /**
   * Decides and yields the proof. `scope` is the catalogue row a token must satisfy, undefined where any credential
   * will do.
   * @throws {Unauthorized | InsufficientScope | Forbidden | NotFound}
   */
  decide<A extends AccessRule>(
    call: Call,
    rule: A,
    scope: ScopeName | undefined,
    params: Readonly<Record<string, string>>,
  ): Promise<GrantOf<A>>;
  /**
   * Asks again for all that was decided for a call, as `Granted.renew` does for one thing.
   * @returns the call as it is at this moment.
   * @throws {Unauthorized | InsufficientScope | Forbidden | NotFound}
   */
  renew<C extends Caller>(call: Call<C>): Promise<Call<C>>;
}

declare module './ports.ts' {
  interface Ports {
    AccessDecision: AccessDecision;
  }
  interface PluralPorts {
    ResourceResolver: ResourceResolver;
  }
}

declarePort('AccessDecision', { arity: 'single', component: 'access decision', critical: true, absent: 'refuse' });
declarePort('ResourceResolver', {
  arity: 'plural',
  component: 'resource resolver',
  critical: true,
  absent: 'degraded',
});

/** What the access decision is made of. */
export interface AccessParts {
  readonly scopes: ScopeCatalogue;
  readonly adminGrants: () => AdminGrants | undefined;
  /** Whether a plugin that runs contributes the permission: nobody may what nobody knows. */
  readonly isPermission: (name: string) => boolean;
  readonly resolvers: () => readonly ResourceResolver[];
}

/** What was decided for a call, to be decided again. */
interface Decided {
  readonly rule: AccessRule;
  readonly scope: ScopeName | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The thing that was found, where the rule is about one. */
  readonly resource?: unknown;
}

/** Where a call keeps what was decided for it: on itself, for a WeakMap is dear where keys live for one request. */
const decisions = Symbol('decisions');
type DecidedCall = Call & { [decisions]?: readonly Decided[] };

/** Another thing may have come by the same path, after a rename. Things without an id are known by their path. */
const idOf = (resource: unknown): unknown =>
  typeof resource === 'object' && resource !== null && 'id' in resource ? resource.id : undefined;

/** Makes the access decision. */
export function accessDecision({ scopes, adminGrants, isPermission, resolvers }: AccessParts): AccessDecision {
  const signedInUser = (caller: Caller): User => {
    if (caller.kind === 'user') return caller;
    throw new Unauthorized('This operation needs a credential');
  };

  /** Additive to the permission check; taken first, so that it tells nothing about the thing asked for. */
  const checkScope = (caller: Caller, scope: ScopeName | undefined): void => {
    if (caller.kind === 'anonymous' || scope === undefined || caller.credential.scopes === 'all') return;
    const kind = caller.credential.kind === 'oauth' ? 'oauth' : 'pat';
    const { ok, required } = scopes.satisfied(scope, kind, caller.credential.scopes);
    if (ok) return;
    if (required === undefined)
      throw new Forbidden('This operation cannot be used with this kind of token', {
        code: 'insufficient_scope',
        detail: 'No scope of such a token allows it; sign in instead',
      });
    throw new InsufficientScope(required);
  };

  const checkAudience = (caller: Caller): void => {
    if (caller.kind === 'user' && caller.credential.audience !== undefined) {
      throw new Forbidden('The token is bound to another resource', { code: 'invalid_audience' });
    }
  };

  const checkAdmin = async (user: User, required: readonly string[]): Promise<void> => {
    if (user.isAdmin) return;
    const held = (await adminGrants()?.scopesOf(user.id)) ?? [];
    const missing = required.find((scope) => !held.includes(scope));
    if (missing !== undefined) throw new Forbidden(`admin scope required: ${missing}`);
  };

  const checkPermission = async (
    call: Call,
    rule: ResourceRule,
    scope: ScopeName | undefined,
    params: Readonly<Record<string, string>>,
  ): Promise<Granted<unknown, string>> => {
    const grant = (resource: unknown, may: (permission: string) => boolean): Granted<unknown, string> => {
      const decided = { rule, scope, params, resource };
      remember(call, decided);
      const renew = async (): Promise<unknown> => await again(await call.renew(), decided);
      return { resource, call, may: (name: string) => isPermission(name) && may(name), renew } as unknown as Granted<
        unknown,
        string
      >;
    };
    const resolve = resolvers().find((resolver) => rule.resource in resolver)?.[rule.resource];
    if (resolve === undefined) throw new NotFound('Not found');
    const { caller } = call;
    const standing = caller.kind === 'anonymous' && rule.needsUser ? undefined : await resolve(caller, params);
    if (standing?.readable === true && standing.may(rule.permission)) {
      return grant(standing.resource, (name) => standing.may(name));
    }
    if (caller.kind === 'anonymous')
      throw rule.anonymous === 401 ? new Unauthorized('This operation needs a credential') : new NotFound('Not found');
    if (standing === undefined) throw new NotFound('Not found');
    if (
      rule.orAdminScope !== undefined &&
      (await adminGrants()?.scopesOf(caller.id))?.includes(rule.orAdminScope) === true
    ) {
      return grant(standing.resource, () => true);
    }
    const status = standing.readable ? rule.lacking : rule.hidden;
    throw status === 404
      ? new NotFound('Not found')
      : new Forbidden('You may not do this here', { detail: `It needs the permission "${rule.permission}"` });
  };

  const byRule = async (
    call: Call,
    rule: AccessRule,
    scope: ScopeName | undefined,
    params: Readonly<Record<string, string>>,
  ): Promise<Granted<unknown, string> | undefined> => {
    if (rule.who !== 'permitted' && rule.who !== 'anyone') remember(call, { rule, scope, params });
    switch (rule.who) {
      case 'anyone':
        return undefined;
      case 'signed-in':
        signedInUser(call.caller);
        return undefined;
      case 'session': {
        const { kind } = signedInUser(call.caller).credential;
        if (kind === 'pat' || kind === 'oauth')
          throw new Forbidden('This operation needs a session', { detail: 'Sign in; a token cannot do this' });
        return undefined;
      }
      case 'admin':
        await checkAdmin(signedInUser(call.caller), rule.scopes);
        return undefined;
      case 'super-admin':
        if (!signedInUser(call.caller).isAdmin) throw new Forbidden('This operation is for instance administrators');
        return undefined;
      case 'permitted':
        return checkPermission(call, rule, scope, params);
    }
  };

  const decide = async (
    call: Call,
    { rule, scope, params }: Decided,
  ): Promise<Granted<unknown, string> | undefined> => {
    checkAudience(call.caller);
    checkScope(call.caller, scope);
    return await byRule(call, rule, scope, params);
  };

  // A new list each time: a copy of the call has what was decided by then, and adds nothing to this one.
  const remember = (call: DecidedCall, decided: Decided): void => {
    call[decisions] = [...(call[decisions] ?? []), decided];
  };

  /** @param call renewed. */
  const again = async (call: Call, before: Decided): Promise<Granted<unknown, string> | undefined> => {
    const granted = await decide(call, before);
    if (idOf(granted?.resource) !== idOf(before.resource)) throw new NotFound('Not found');
    return granted;
  };

  return {
    decide<A extends AccessRule>(
      call: Call,
      rule: A,
      scope: ScopeName | undefined,
      params: Readonly<Record<string, string>>,
    ): Promise<GrantOf<A>> {
      return decide(call, { rule, scope, params }) as Promise<GrantOf<A>>;
    },

    async renew(call) {
      const renewed = await call.renew();
      await Promise.all(((call as DecidedCall)[decisions] ?? []).map((before) => again(renewed, before)));
      return renewed;
    },
  } satisfies AccessDecision;
}
