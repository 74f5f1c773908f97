// The client of providers of sign-in: starts a sign-in, finds out who signed in, and inspects a provider.
import { randomNonce, randomPKCECodeVerifier } from 'openid-client';
import type { Identified, SignInStart, SignInStep } from '#core/kernel/access/sign-in-flows';
import { FairLimiter } from '#core/kernel/limits/fair-limiter';
import type { Log } from '#core/kernel/services/log';
import { Fault, faultOf, faultOfAnswer, publicError } from './faults.ts';
import { githubUrl, identifyByGithub } from './github.ts';
import { githubSteps, openidSteps, problem } from './inspection.ts';
import { Keys } from './keys.ts';
import { fetchMetadata, usable, type Metadata, type ReadMetadata } from './metadata.ts';
import { authorizationUrl, identifyByOpenid } from './openid.ts';
import type { KeptSecrets, Provider, ProviderAnswer } from './provider.ts';
import { isObject } from './requests.ts';
import { SharedAnswers } from './shared-answers.ts';

/** Milliseconds: how long metadata and failures to fetch it are kept, and the time limit of one step of a sign-in. */
const times = { metadata: 3_600_000, failed: 5_000, step: 10_000 } as const;

/** Steps of sign-ins at one provider: how many run at a time, and how many wait, also for one client. */
const most = { running: 16, waiting: 64, waitingOfClient: 16 } as const;

export interface SignInClientOptions {
  readonly log: Log;
  /** The key of the current caller, by which the steps are shared fairly. */
  readonly caller: () => string | undefined;
  /** This and the following option are for tests. The time limit of one step in milliseconds. */
  readonly timeLimitMs?: number | undefined;
  /** Milliseconds since any moment. */
  readonly now?: (() => number) | undefined;
}

export interface SignInClient {
  /** @throws {BadGateway} if the provider cannot be asked. */
  start(provider: Provider, state: string): Promise<SignInStart>;
  /**
   * The user of a provider's answer.
   * @param kept from `start`.
   * @throws {Forbidden} if the answer must be refused. @throws {BadGateway} if the provider cannot be asked.
   */
  identify(provider: Provider, kept: string, answer: ProviderAnswer, signal: AbortSignal): Promise<Identified>;
  /** Asks the provider again, and describes what it finds. Never throws. */
  inspect(provider: Provider): Promise<readonly SignInStep[]>;
}

export function signInClient({
  log,
  caller,
  timeLimitMs = times.step,
  now = () => performance.now(),
}: SignInClientOptions): SignInClient {
  const discovered = new SharedAnswers<ReadMetadata>({ keptMs: times.metadata, failedMs: times.failed, now });
  const keys = new Keys({ timeLimitMs, now });
  const limiters = new Map<string, FairLimiter>();
  const limiterOf = ({ id }: Provider): FairLimiter => {
    const limiter = limiters.get(id) ?? newLimiter();
    limiters.set(id, limiter);
    return limiter;
  };

  /** Microsoft's rule for issuers differs, so its metadata is cached separately. */
  const keyOf = ({ kind, address }: Provider): string => `${kind}:${address}`;
  const metadataOf = async (provider: Provider, signal: AbortSignal): Promise<Metadata> =>
    usable(
      await discovered.get(
        keyOf(provider),
        () => fetchMetadata(provider, { signal: AbortSignal.timeout(timeLimitMs) }),
        signal,
      ),
    );

  /** Runs a step within its time limit and within the limits of the provider, and words its errors. */
  const step = async <T>(
    provider: Provider,
    work: (signal: AbortSignal) => Promise<T>,
    left?: AbortSignal,
  ): Promise<T> => {
    const over = AbortSignal.timeout(timeLimitMs);
    const signal = left === undefined ? over : AbortSignal.any([over, left]);
    try {
      return await limiterOf(provider).run(() => work(signal), caller(), signal);
    } catch (error) {
      const fault = signal.aborted && !(error instanceof Fault) ? late(over) : faultOf(error);
      const level = fault.kind === 'denied' ? 'debug' : 'warn';
      log[level]({ provider: provider.id, reason: fault.message }, `sign-in failed: ${fault.kind}`);
      throw publicError(fault, provider.displayName);
    }
  };

  return {
    start: (provider, state) =>
      step(provider, async (signal) => {
        const secrets = { verifier: randomPKCECodeVerifier(), nonce: randomNonce() };
        const redirectUrl =
          provider.kind === 'github'
            ? await githubUrl(provider, secrets, state)
            : await authorizationUrl(provider, await metadataOf(provider, signal), secrets, state);
        return { redirectUrl, kept: JSON.stringify(secrets) };
      }),

    identify: (provider, kept, answer, left) =>
      step(
        provider,
        async (signal) => {
          if (answer.error !== undefined) throw faultOfAnswer(answer.error);
          if (answer.code === undefined) throw new Fault('invalid', 'the browser returned without a code');
          const secrets = secretsIn(kept);
          if (provider.kind === 'github') return identifyByGithub(provider, secrets, answer, signal);
          const metadata = await metadataOf(provider, signal);
          return identifyByOpenid({ provider, metadata, keys, signal }, secrets, answer);
        },
        left,
      ),

    async inspect(provider) {
      if (provider.kind === 'github') return githubSteps(provider);
      const signal = AbortSignal.timeout(timeLimitMs);
      try {
        const read = await fetchMetadata(provider, { signal });
        // The next sign-in uses the same metadata and keys.
        discovered.forget(keyOf(provider));
        const address = read.metadata.jwks_uri;
        if (address === '') return openidSteps(provider, read, undefined);
        keys.forget(address);
        const found = await keys.of(address, undefined, signal).catch(faultOf);
        return found instanceof Fault
          ? [...openidSteps(provider, read, undefined), problem(found.message)]
          : openidSteps(provider, read, found);
      } catch (error) {
        return [problem((signal.aborted ? late(signal) : faultOf(error)).message)];
      }
    },
  };
}

const newLimiter = (): FairLimiter =>
  new FairLimiter({
    slots: most.running,
    queue: most.waiting,
    share: { slots: 'as-left', queue: most.waitingOfClient },
    refusal: () => new Fault('unavailable', 'too many sign-ins are in progress'),
  });

const late = (over: AbortSignal): Fault =>
  new Fault('unavailable', over.aborted ? 'it did not answer in time' : 'the browser has left');

function secretsIn(kept: string): KeptSecrets {
  let value: unknown;
  try {
    value = JSON.parse(kept);
  } catch {
    // Refused below.
  }
  if (!isObject(value) || typeof value['verifier'] !== 'string' || typeof value['nonce'] !== 'string')
    throw new Fault('invalid', 'the browser has kept the secrets of another kind of sign-in');
  return { verifier: value['verifier'], nonce: value['nonce'] };
}
