// Use cases of sign-in by redirect: a browser is sent to an external provider, and returns with its answer.
import type { Call, User } from '#core/kernel/caller';
import { BadGateway, Duplicate, Forbidden, NotFound } from '#core/kernel/errors';
import type { ConfiguredProvider, Identified, SignInFlow, SignInStep } from '#core/kernel/access/sign-in-flows';
import { auditEntry } from '#core/kernel/services/audit';
import { randomBase62 } from '../model/base62.ts';
import type { ListedProvider } from '../model/external-identity.ts';
import type { IdentityParts } from '../model/parts.ts';
import { secondsAfter } from '../model/session.ts';
import { blocked, refusedAnswers } from '../sign-in/blocked.ts';
import type { SessionOpener, SignedIn } from '../sign-in/session-opener.ts';
import type { ExternalAccounts } from './accounts.ts';
import { browserFlows, flowLimits, flowSeconds, type BrowserFlow } from './browser-flows.ts';
import type { LinkExternal } from './identities.ts';
import { testReport, type TestReport } from './test-report.ts';

/** A browser that is sent to a provider. */
export interface Departure {
  readonly redirectUrl: string;
  /** The new value of the cookie. */
  readonly flows: string;
}

/** A provider as administrators see it. */
export interface AdministeredProvider extends ConfiguredProvider, Pick<ListedProvider, 'kind'> {}

/** The result of a finished sign-in. */
export type Arrival = { /** The new value of the cookie. */ readonly flows: string } & (
  | { readonly kind: 'signed in'; readonly opened: SignedIn; readonly returnTo: string }
  | { readonly kind: 'linked' }
  | { readonly kind: 'tested'; readonly report: TestReport }
);

/** The provider that a browser is sent to, and its cookie. */
export interface Started {
  readonly provider: string;
  readonly cookie: string | undefined;
}

/** The provider that a browser returns from, the state in its answer, and the cookie of the browser. */
export interface Returning extends Started {
  readonly state: string | undefined;
}

const noProvider = 'There is no such sign-in provider, or it is not enabled';

const refusedAs = (code: keyof typeof refusedAnswers, cause?: unknown): Forbidden =>
  new Forbidden(refusedAnswers[code].message, { code, detail: refusedAnswers[code].detail, cause });

export function redirectUseCases(
  parts: IdentityParts,
  externals: ExternalAccounts,
  opener: SessionOpener,
  link: LinkExternal,
) {
  const { identities, tokenHasher, signInFlows, sealer, sessions, audit, unitOfWork, directories, ids } = parts;
  const flows = browserFlows(sealer);

  const enabledFlow = async (provider: string): Promise<SignInFlow> => {
    for (const flow of signInFlows()) if ((await flow.providers()).some(({ id }) => id === provider)) return flow;
    throw new NotFound(noProvider);
  };
  const configuredFlow = async (provider: string): Promise<SignInFlow> => {
    for (const flow of signInFlows())
      if (((await flow.configured?.()) ?? []).some(({ id }) => id === provider)) return flow;
    return enabledFlow(provider);
  };

  const depart = async (
    flow: SignInFlow,
    call: Call,
    { provider, cookie, ...more }: Started & Pick<BrowserFlow, 'returnTo' | 'purpose' | 'userId' | 'sessionId'>,
  ): Promise<Departure> => {
    const state = randomBase62(ids, 43);
    const { redirectUrl, kept } = await flow.start(provider, state);
    if (kept.length > flowLimits.kept) throw new Error(`the plugin of "${provider}" keeps ${kept.length} characters`);
    const expires = secondsAfter(call.now, flowSeconds).getTime();
    const started: BrowserFlow = { state, provider, kept, expires, ...more };
    return { redirectUrl, flows: flows.write([...flows.read(cookie, call.now), started]) };
  };

  /** Of a signed-in user, whose session must last until the browser returns. */
  const departFor = (
    purpose: 'link' | 'test',
    flow: SignInFlow,
    call: Call<User>,
    started: Started,
  ): Promise<Departure> => {
    const { id: userId, credential } = call.caller;
    return depart(flow, call, { ...started, returnTo: '', purpose, userId, sessionId: credential.id });
  };

  const pending = ({ provider, state, cookie }: Returning, now: Date): BrowserFlow | undefined =>
    state === undefined
      ? undefined
      : flows.read(cookie, now).find((flow) => flow.state === state && flow.provider === provider);

  /** @throws {Forbidden} if it was used before. */
  const use = async (key: string, until: Date): Promise<void> => {
    try {
      await unitOfWork.run(() => identities.use(tokenHasher.hash(key), until));
    } catch (error) {
      throw error instanceof Duplicate ? refusedAs('sign_in_replayed', error) : error;
    }
  };
  const answerKey = (provider: string, key: string): string => `answer\n${provider}\n${key}`;

  /** The session that started it must still be valid, because the user may have taken minutes. */
  const starter = async ({ userId, sessionId }: BrowserFlow, now: Date): Promise<string> => {
    const owner = sessionId === undefined ? undefined : await sessions.owner(sessionId, now);
    if (owner === undefined || owner.id !== userId) throw refusedAs('sign_in_not_started');
    return owner.id;
  };

  const signIn = async (call: Call, provider: string, { user }: Identified): Promise<SignedIn> => {
    const entry: Parameters<ExternalAccounts['admit']>[2] = (...told) => auditEntry(call, ...told);
    // A provider of redirects does not decide who is an administrator, whatever else its plugin has put into the user.
    const { account, block } = await externals.admit(provider, { ...user, isAdmin: undefined }, entry);
    const opened =
      account === undefined || block !== undefined ? undefined : await opener.open(call, account, { provider });
    if (opened !== undefined) return opened;
    const code = block ?? 'account_suspended';
    const { action, message, detail } = blocked[code];
    await audit.append(auditEntry(call, action, `user:${account?.id ?? 'unknown'}`, { surface: 'redirect', provider }));
    throw new Forbidden(message, { code, detail });
  };

  return {
    /** Those that users can choose: directories first, then redirects in the order of the operator. */
    async providers(): Promise<readonly ListedProvider[]> {
      const listed = await Promise.all(signInFlows().map((flow) => flow.providers()));
      return [
        ...directories.names().map((directory) => ({ ...directory, kind: 'password' as const, startPath: undefined })),
        ...listed.flat().map((provider) => ({ ...provider, kind: 'redirect' as const })),
      ];
    },

    /** All that can be configured, and the directories, for administrators. */
    async configured(_call: Call<User>): Promise<readonly AdministeredProvider[]> {
      const flowProviders = await Promise.all(signInFlows().map(async (flow) => (await flow.configured?.()) ?? []));
      return [
        ...directories.names().map((directory) => ({
          ...directory,
          kind: 'password' as const,
          enabled: true,
          settings: [],
          registration: [],
        })),
        ...flowProviders.flat().map((provider) => ({ ...provider, kind: 'redirect' as const })),
      ];
    },

    /** The steps of a check without a user. @throws {NotFound} if there is no such provider. */
    async inspect(_call: Call<User>, provider: string): Promise<readonly SignInStep[]> {
      return (await (await configuredFlow(provider)).inspect?.(provider)) ?? [];
    },

    pending,
    isUsed: (provider: string, key: string): Promise<boolean> =>
      identities.isUsed(tokenHasher.hash(answerKey(provider, key))),

    /** @throws {NotFound | BadGateway} */
    async start(
      call: Call,
      { returnTo = '', ...started }: Started & { readonly returnTo: string | undefined },
    ): Promise<Departure> {
      const fits = returnTo.length <= flowLimits.returnTo && /^[\x21-\x7e]*$/.test(returnTo);
      return depart(await enabledFlow(started.provider), call, { ...started, returnTo: fits ? returnTo : '' });
    },

    /** Starts a redirect that adds an identity to the account of the caller. @throws {NotFound | BadGateway} */
    startLink: async (call: Call<User>, started: Started): Promise<Departure> =>
      departFor('link', await enabledFlow(started.provider), call, started),

    /** Starts a test of a provider, which may be disabled. @throws {NotFound | BadGateway} */
    startTest: async (call: Call<User>, started: Started): Promise<Departure> =>
      departFor('test', await configuredFlow(started.provider), call, started),

    /**
     * @param identify checks the answer of the provider, given the text that the plugin has kept in the browser.
     * @throws {Forbidden | BadGateway | Conflict}
     */
    async finish(call: Call, returning: Returning, identify: (kept: string) => Promise<Identified>): Promise<Arrival> {
      const { provider, cookie } = returning;
      const flow = pending(returning, call.now);
      if (flow === undefined) throw refusedAs('sign_in_not_started');
      const { state, kept, returnTo, purpose } = flow;
      const left = { flows: flows.write(flows.read(cookie, call.now).filter((other) => other.state !== state)) };
      await use(`state\n${state}`, secondsAfter(call.now, flowSeconds));
      if (purpose === 'test') {
        await starter(flow, call.now);
        const answer = await identify(kept).then(
          async (identified) => ({ identified, outcome: await externals.outcome(provider, identified.user) }),
          (error: unknown) => {
            if (error instanceof Forbidden || error instanceof BadGateway) return error;
            throw error;
          },
        );
        return { ...left, kind: 'tested', report: testReport(provider, call.now, answer) };
      }
      const identified = await identify(kept).catch(async (error: unknown) => {
        if (error instanceof Forbidden)
          await audit.append(
            auditEntry(call, 'user.login_failed', 'user:unknown', {
              surface: 'redirect',
              provider,
              reason: error.code,
            }),
          );
        throw error;
      });
      // The provider may have been switched off meanwhile.
      await enabledFlow(provider);
      const { user, once } = identified;
      if (user.subject === '' || user.subject.length > 1024)
        throw new BadGateway(`The provider "${provider}" names no user`, { code: 'provider_unavailable' });
      if (once !== undefined) await use(answerKey(provider, once.key), once.until);
      if (purpose === 'link') {
        await link(call, await starter(flow, call.now), provider, user);
        return { ...left, kind: 'linked' };
      }
      return { ...left, kind: 'signed in', opened: await signIn(call, provider, identified), returnTo };
    },
  };
}
