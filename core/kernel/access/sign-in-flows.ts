// Ports of sign-in by redirect: the browser is sent to an external provider, such as an OpenID provider, and returns.
import type { Call } from '../caller.ts';
import { declarePort } from '../ports.ts';

/** A user, as an external provider describes them. */
export interface ExternalUser {
  /** A permanent, unique id at the provider, of at most 1,024 characters. */
  readonly subject: string;
  /** The preferred name of a new account. It is made legal and unique. */
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  /** Whether the provider has verified that the e-mail address belongs to the user. */
  readonly emailVerified: boolean;
  readonly displayName?: string | undefined;
}

/** A provider that users can choose on the sign-in page. */
export interface SignInProvider {
  /** Unique in the instance: 1 to 32 lower-case letters, digits and "-". It is part of the identities of users. */
  readonly id: string;
  readonly displayName: string;
  /** The path at which a sign-in starts, such as `/api/v1/auth/oauth/github/start`. It accepts `return_to`. */
  readonly startPath: string;
}

/** The first step of a sign-in. */
export interface SignInStart {
  /** The URL at the provider to which the browser is sent. */
  readonly redirectUrl: string;
  /** At most 1,000 characters that are needed when the browser returns. They are kept in the browser, encrypted. */
  readonly kept: string;
}

/** One step of a test of a provider, for administrators. Contains no secret. */
export interface SignInStep {
  readonly title: string;
  readonly outcome: 'good' | 'bad' | 'unknown';
  /** The finding in words, such as "3 signing keys" or "the server does not answer". */
  readonly about: string;
}

/** A provider as administrators see it. */
export interface ConfiguredProvider extends Pick<SignInProvider, 'id' | 'displayName'> {
  /** Whether users can choose it. */
  readonly enabled: boolean;
  /** The keys of its settings, in the order of the form; the first one enables it. */
  readonly settings: readonly string[];
  /** The values that have to be registered at the provider, such as the callback URL. */
  readonly registration: readonly { readonly title: string; readonly value: string }[];
}

/** Offers one or more providers of sign-in by redirect. Their answer arrives at a route of the same plugin. */
export interface SignInFlow {
  /** The enabled providers, in the order of their buttons. Called for each sign-in page, so it asks no other server. */
  providers(): Promise<readonly SignInProvider[]>;
  /**
   * Prepares a sign-in at a provider, also at one that is configured but not enabled, which administrators can test.
   * @param state 43 characters of `[A-Za-z0-9_-]`, unguessable, which the provider sends back.
   * @throws {NotFound} if there is no such provider, or it is not configured.
   * @throws {BadGateway} if it cannot be asked.
   */
  start(provider: string, state: string): Promise<SignInStart>;
  /** All providers that can be configured, for administrators. */
  configured?(): Promise<readonly ConfiguredProvider[]>;
  /** Checks a provider, as far as possible without a user. Changes nothing, and does not throw for its faults. */
  inspect?(provider: string): Promise<readonly SignInStep[]>;
}

/** The next step of a browser. */
export interface BrowserStep {
  /** A path of this instance or a URL. */
  readonly location: string;
  readonly cookies: readonly {
    readonly name: string;
    /** An empty value clears the cookie. */
    readonly value: string;
    readonly sameSite: 'Lax' | 'Strict';
    readonly path: string;
    readonly maxAgeSeconds: number;
  }[];
}

/** The answer of a provider, after its plugin has found the user in it. */
export interface Identified {
  readonly user: ExternalUser;
  /**
   * A key of the provider's answer that must be used only once, such as the id of a SAML assertion, and its expiry.
   */
  readonly once?: { readonly key: string; readonly until: Date } | undefined;
  /** Members of the answer, for administrators who test the provider. Contains no secret. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** Signs users in who return from an external provider. Provided by the plugin that stores accounts. */
export interface ExternalSignIn {
  /**
   * Starts a sign-in: the browser gets a cookie and is sent to the provider.
   * @param from `cookie`: the header `Cookie` of the request. `returnTo`: a path of this instance to go on to.
   * @throws as `SignInFlow.start`, for a provider that is not enabled too.
   */
  start(
    call: Call,
    provider: string,
    from: { readonly cookie: string | undefined; readonly returnTo: string | undefined },
  ): Promise<BrowserStep>;
  /** Whether the browser that sends these cookies has started a sign-in with this state that is not finished. */
  expects(provider: string, state: string, cookie: string | undefined, now: Date): boolean;
  /** Whether a key of a provider's answer was used before. */
  isUsed(provider: string, key: string): Promise<boolean>;
  /**
   * Finishes a sign-in, or the linking of an identity, that this browser started.
   * @param answer `identify` checks the provider's answer; `kept` is what `SignInFlow.start` returned. It throws
   * `Forbidden` for an answer that must be refused and `BadGateway` for a fault of the provider.
   * @throws {Forbidden} with the code of the refusal, unless `browser` is set. @throws {BadGateway}
   */
  finish(
    call: Call,
    provider: string,
    answer: {
      readonly state: string | undefined;
      readonly cookie: string | undefined;
      /** Whether the client shows pages. It is then led to a page that explains a refusal. */
      readonly browser: boolean;
      readonly identify: (kept: string) => Promise<Identified>;
    },
  ): Promise<BrowserStep>;
}

declare module '../ports.ts' {
  interface Ports {
    ExternalSignIn: ExternalSignIn;
  }
  interface PluralPorts {
    SignInFlow: SignInFlow;
  }
}

declarePort('ExternalSignIn', {
  arity: 'single',
  component: 'sign-in by redirect (plugin "identity")',
  critical: true,
  absent: 'refuse',
  methods: ['start', 'expects', 'isUsed', 'finish'],
});
declarePort('SignInFlow', {
  arity: 'plural',
  component: 'sign-in by redirect',
  critical: false,
  absent: 'degraded',
  methods: ['providers', 'start'],
});
