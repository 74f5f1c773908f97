// A client of the adapter under test, with a log that is kept, and one sign-in from start to end.
import { signInClient, type Provider, type ProviderAnswer, type SignInClient } from '#adapters/oidc/index';
import type { Identified } from '#core/kernel/access/sign-in-flows';
import { HexforgeError } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import { client, type Approved, type Issuer } from '#test/support/servers/openid-provider';

/** One line of the log: `members` as JSON, and the message. */
export interface KeptLog extends Log {
  readonly lines: readonly string[];
}

export function keptLog(): KeptLog {
  const lines: string[] = [];
  const keep = (members: object, message: string): void => void lines.push(`${message} ${JSON.stringify(members)}`);
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}

export interface UnderTest {
  readonly client: SignInClient;
  readonly log: KeptLog;
  /** Moves the clock of the caches. */
  advance(milliseconds: number): void;
  /** The caller of the following steps. */
  as(caller: string): void;
}

export function underTest(timeLimitMs?: number): UnderTest {
  const log = keptLog();
  let time = 0;
  let caller = 'address:192.0.2.1';
  return {
    log,
    client: signInClient({ log, caller: () => caller, timeLimitMs, now: () => time }),
    advance: (milliseconds) => void (time += milliseconds),
    as: (next) => void (caller = next),
  };
}

export const providerAt = (address: string, rest: Partial<Provider> = {}): Provider => ({
  id: 'oidc',
  displayName: 'Example',
  kind: 'openid',
  address,
  clientId: client.id,
  clientSecret: client.secret,
  scopes: 'openid profile email',
  redirectUri: 'https://forge.example.com/api/v1/auth/oauth/oidc/callback',
  ...rest,
});

export const state = 's'.repeat(43);

/** The user, or the code of the refusal. */
export type Outcome = { readonly identified: Identified } | { readonly refused: string; readonly error: HexforgeError };

export async function outcomeOf(work: Promise<Identified>): Promise<Outcome> {
  try {
    return { identified: await work };
  } catch (error) {
    if (!(error instanceof HexforgeError)) throw error;
    return { refused: error.code, error };
  }
}

/** Signs in at an issuer, whose user approves. @param altered the answer as an attacker changes it. */
export async function signIn(
  { client: signInAt }: Pick<UnderTest, 'client'>,
  issuer: Issuer,
  provider = providerAt(issuer.issuer),
  altered: (approved: Approved) => ProviderAnswer = (approved) => approved,
): Promise<Identified> {
  const { redirectUrl, kept } = await signInAt.start(provider, state);
  const { code, iss } = altered(issuer.approve(redirectUrl)) as Approved;
  return signInAt.identify(provider, kept, { code, iss }, new AbortController().signal);
}
