// The access decision: the one check of caller, credential, scope, permission and visibility. Denies by default.
import type { AdminGrants } from './admin-grants.ts';
import type { Call, Caller, User } from '../caller.ts';
import { Forbidden, InsufficientScope, NotFound, Unauthorized } from '../errors.ts';
import { declarePort } from '../ports.ts';
import type { ScopeCatalogue, ScopeName } from './scopes.ts';
import { administers, checkAudience, usesToken } from './token-reach.ts';

/** Open: kinds of protected resources and their entity, such as `repository: Repository`. */
export interface Resources {}
/** The name of a kind of protected resource. */
export type ResourceKind = keyof Resources & string;

/**
 * Open: permission name → the kind of resource it applies to, such as `'repo.read': 'repository'`; or several kinds, if
 * they are views of one resource.
 */
export interface Permissions {}
/** The names of the permissions on resources of a kind. */
export type PermissionOn<K extends ResourceKind> = {
  [P in keyof Permissions]: K extends Permissions[P] ? P : never;
}[keyof Permissions] &
  string;

/**
 * Open: kind of resource → its permission to read. A user with any permission on such a resource has this one,
 * because the access decision allows nothing on a resource that the caller may not read.
 */
export interface ReadPermissions {}

/** Open: permission → other permissions that all its holders have, whatever their role. A custom role has no others. */
export interface IncludedPermissions {}

/** A permission, and those that all its holders have. */
export type IncludedIn<P extends string> =
  | P
  | (P extends keyof IncludedPermissions ? IncludedPermissions[P] : never)
  | (P extends keyof Permissions ? ReadPermissions[Permissions[P] & keyof ReadPermissions] : never);

/** The caller's rights on one resource, as decided by the area that owns it. */
export interface Standing<R> {
  readonly resource: R;
  /** Whether the caller may know that the resource exists. */
  readonly readable: boolean;
  may(permission: string): boolean;
}

/**
 * Finds protected resources by path parameters, once per request: one function per kind. Provided by the plugin that
 * owns the kinds.
 */
export type ResourceResolver<K extends ResourceKind = ResourceKind> = {
  readonly [Kind in K]?: (
    caller: Caller,
    params: Readonly<Record<string, string>>,
  ) => Promise<Standing<Resources[Kind]> | undefined>;
};

/** The access that a route requires. A route without one does not compile. */
export type AccessRule =
  /** Everyone. An invalid credential is still rejected with 401. */
  | { readonly who: 'anyone' }
  /** Every valid credential. */
  | { readonly who: 'signed-in' }
  /** A session or password, never a token. For operations with which a token could widen its own access. */
  | { readonly who: 'session' }
  /** Instance administrators, and users who hold every one of these admin scopes; with `any`, at least one. */
  | { readonly who: 'admin'; readonly scopes: readonly string[]; readonly any?: true }
  /** Instance administrators only. */
  | { readonly who: 'super-admin' }
  | ResourceRule;

/** A rule about one resource and a permission on it. `reads` and `changes` build it. */
export interface ResourceRule<
  K extends ResourceKind = ResourceKind,
  P extends string = string,
  N extends boolean = boolean,
> {
  readonly who: 'permitted';
  readonly resource: K;
  readonly permission: P;
  /** Changes need a user, so an anonymous caller is rejected before the resource is looked up. */
  readonly needsUser: N;
  /** The status for an anonymous caller who is rejected. */
  readonly anonymous: 401 | 404;
  /** The status for a signed-in caller who may not know that the resource exists. */
  readonly hidden: 404 | 403;
  /** The status for a caller who may read the resource but lacks the permission. */
  readonly lacking: 403 | 404;
  /**
   * Holders of this admin scope are allowed regardless of their rights on the resource, with a session or a personal
   * access token that has admin:system.
   */
  readonly orAdminScope?: string | undefined;
}

/** Allows everyone. An invalid credential is still rejected with 401. */
export const anyone = { who: 'anyone' } as const;
/** Allows every valid credential. */
export const signedIn = { who: 'signed-in' } as const;
/** Allows sessions and passwords, and no token. */
export const session = { who: 'session' } as const;
/** Allows instance administrators. */
export const superAdmin = { who: 'super-admin' } as const;
/** Allows instance administrators, and users who hold every one of these admin scopes. */
export const admin = (...scopes: readonly string[]) => ({ who: 'admin', scopes }) as const;

/**
 * A read: callers who may not read get 404. With `anonymous: 401`, anonymous callers get 401 instead.
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
 * A change: 401 without a credential, 404 if the caller may not read, 403 if the caller may read but lacks the
 * permission.
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
// `-?` makes the compiler compare the members. Without it, it concludes from a sample that any proof for more names is
// accepted, and a proof for one of two permissions would be accepted for each of them.
type ProofOf<P extends string> = P extends string ? { [Included in IncludedIn<P>]-?: true } : never;
/**
 * The proof that the access decision allowed one permission on one resource. Only the access decision creates it, so no
 * use case runs unchecked. It is also accepted where another permission is required that all holders of this one
 * have (`IncludedIn`): a proof for `repo.write` where `repo.read` is required.
 */
export interface Granted<R, P extends string, C extends Caller = Caller> {
  readonly resource: R;
  /** The call that was allowed. For a change (`changes`) the caller is a user. */
  readonly call: Call<C>;
  /**
   * Whether the caller also holds another permission on the same resource. False for a permission that no running
   * plugin contributes.
   */
  may(permission: string): boolean;
  /**
   * Access recheck: authenticates the credential again and repeats the access decision for the same resource. Call it
   * before a change that happens some time after the first decision.
   * @throws {Unauthorized | InsufficientScope | Forbidden | NotFound}
   */
  renew(): Promise<Granted<R, P, C>>;
  readonly [permission]: ProofOf<P>;
}

/** The result of `decide` for a rule. */
export type GrantOf<A> =
  A extends ResourceRule<infer K, infer P, infer N>
    ? Granted<Resources[K], P, N extends true ? User : Caller>
    : undefined;

/** The call that a handler receives under a rule. Every rule except these two guarantees a user. */
export type CallOf<A> = A extends { readonly who: 'anyone' } | { readonly needsUser: false } ? Call : Call<User>;

/** The port that makes every access decision. */
export interface AccessDecision {
  /**
   * Decides and returns the proof. `scope` is the catalogue row that a token must satisfy; undefined if every
   * credential is accepted.
   * @throws {Unauthorized | InsufficientScope | Forbidden | NotFound}
   */
  decide<A extends AccessRule>(
    call: Call,
    rule: A,
    scope: ScopeName | undefined,
    params: Readonly<Record<string, string>>,
  ): Promise<GrantOf<A>>;
  /**
   * Access recheck of everything that was decided for a call, as `Granted.renew` does for one resource.
   * @returns the renewed call.
   * @throws {Unauthorized | InsufficientScope | Forbidden | NotFound}
   */
  renew<C extends Caller>(call: Call<C>): Promise<Call<C>>;
}

declare module '../ports.ts' {
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

/** The dependencies of the access decision. */
export interface AccessParts {
  readonly scopes: ScopeCatalogue;
  readonly adminGrants: () => AdminGrants | undefined;
  /** Whether a running plugin contributes the permission. Unknown permissions are denied. */
  readonly isPermission: (name: string) => boolean;
  readonly resolvers: () => readonly ResourceResolver[];
}

/** One decision that was made for a call, with the inputs needed to repeat it. */
interface Decided {
  readonly rule: AccessRule;
  readonly scope: ScopeName | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The resource that was found, if the rule is about one. */
  readonly resource?: unknown;
}

/** The call object itself stores its decisions: a WeakMap is slow when each key lives for one request only. */
const decisions = Symbol('decisions');
type DecidedCall = Call & { [decisions]?: readonly Decided[] };

/** After a rename another resource may have the same path. A resource without an id is identified by its path alone. */
const idOf = (resource: unknown): unknown =>
  typeof resource === 'object' && resource !== null && 'id' in resource ? resource.id : undefined;

/** Builds the access decision. */
export function accessDecision({ scopes, adminGrants, isPermission, resolvers }: AccessParts): AccessDecision {
  const signedInUser = (caller: Caller): User => {
    if (caller.kind === 'user') return caller;
    throw new Unauthorized('This operation needs a credential');
  };

  const unusable = (): Forbidden =>
    new Forbidden('This operation cannot be used with this kind of token', {
      code: 'insufficient_scope',
      detail: 'No scope of such a token allows it; sign in instead',
    });

  /** Checked in addition to the permission, and before it, so that the response reveals nothing about the resource. */
  const checkScope = (caller: Caller, scope: ScopeName | undefined): void => {
    if (caller.kind === 'anonymous' || scope === undefined || caller.credential.scopes === 'all') return;
    const kind = caller.credential.kind === 'oauth' ? 'oauth' : 'pat';
    const { ok, required } = scopes.satisfied(scope, kind, caller.credential.scopes);
    if (ok) return;
    throw required === undefined ? unusable() : new InsufficientScope(required);
  };

  /** Without a scope, an operation of administrators is not one that any token of theirs may use. */
  const checkAdminToken = (caller: Caller): void => {
    if (caller.kind === 'anonymous' || administers(caller)) return;
    throw caller.credential.kind === 'pat' ? new InsufficientScope('admin:system') : unusable();
  };

  const checkAdmin = async (user: User, required: readonly string[], any = false): Promise<void> => {
    if (user.isAdmin) return;
    const held = (await adminGrants()?.scopesOf(user.id)) ?? [];
    const missing = required.filter((scope) => !held.includes(scope));
    if (any && missing.length === required.length) throw new Forbidden('This operation is for administrators');
    if (!any && missing.length > 0) throw new Forbidden(`admin scope required: ${missing[0]}`);
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
      administers(caller) &&
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
      case 'session':
        if (usesToken(signedInUser(call.caller)))
          throw new Forbidden('This operation needs a session', { detail: 'Sign in; a token cannot do this' });
        return undefined;
      case 'admin':
        await checkAdmin(signedInUser(call.caller), rule.scopes, rule.any);
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
    // At a protected resource a missing scope is reported first, so that clients can request it.
    if (call.resource !== undefined) checkScope(call.caller, scope);
    checkAudience(call);
    if (call.resource === undefined) checkScope(call.caller, scope);
    if (scope === undefined && (rule.who === 'admin' || rule.who === 'super-admin')) checkAdminToken(call.caller);
    return await byRule(call, rule, scope, params);
  };

  // Creates a new list each time, so that a copy of the call keeps its decisions and does not change this one's.
  const remember = (call: DecidedCall, decided: Decided): void => {
    call[decisions] = [...(call[decisions] ?? []), decided];
  };

  /** @param call the renewed call. */
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
