// The public keys of OpenID providers (RFC 7517): validated, cached, and fetched again when a token has an unknown key.
import { isLoopback } from './addresses.ts';
import { Fault } from './faults.ts';
import { isObject, jsonObject, request } from './requests.ts';
import { SharedAnswers } from './shared-answers.ts';

export type PublicKey = Readonly<Record<string, string | readonly string[]>>;

/** Milliseconds: how long keys are kept, and in which unknown keys cause at most `mostRefetches`. */
const times = { kept: 300_000, failed: 5_000, refetch: 60_000 } as const;
/** Each needs a token that the provider itself has issued, so that visitors cannot cause them. */
const mostRefetches = 10;

/** The most keys of a provider, and the most characters of a member: those of an RSA key of 16,384 bits. */
const most = { keys: 100, length: 2800, operations: 10 } as const;

/** Members of private and of symmetric keys (RFC 7518, section 6). */
const secret = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const copied = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y'];

export interface KeysOptions {
  /** Milliseconds of one fetch. */
  readonly timeLimitMs: number;
  readonly now: () => number;
}

export class Keys {
  readonly #options: KeysOptions;
  readonly #sets: SharedAnswers<readonly PublicKey[]>;
  /** Address → when unknown keys caused fetches, in the last minute. */
  readonly #refetched = new Map<string, readonly number[]>();

  constructor(options: KeysOptions) {
    this.#options = options;
    this.#sets = new SharedAnswers({ keptMs: times.kept, failedMs: times.failed, now: options.now });
  }

  /**
   * The keys at an address. If the cached ones do not include `kid`, they are fetched again, once.
   * @throws {Fault} `unavailable`
   */
  async of(address: string, kid: string | undefined, signal: AbortSignal): Promise<readonly PublicKey[]> {
    const wasKept = this.#sets.has(address);
    const keys = await this.#get(address, signal);
    if (kid === undefined || !wasKept || keys.some((key) => key['kid'] === kid)) return keys;
    if (this.#mayRefetch(address)) this.#sets.forget(address);
    // Also joins a fetch that another sign-in has caused meanwhile.
    return this.#get(address, signal);
  }

  forget(address: string): void {
    this.#sets.forget(address);
  }

  #get(address: string, signal: AbortSignal): Promise<readonly PublicKey[]> {
    return this.#sets.get(address, () => fetchKeys(address, AbortSignal.timeout(this.#options.timeLimitMs)), signal);
  }

  #mayRefetch(address: string): boolean {
    const now = this.#options.now();
    for (const [other, at] of this.#refetched) {
      const recent = at.filter((moment) => now - moment < times.refetch);
      if (recent.length === 0) this.#refetched.delete(other);
      else this.#refetched.set(other, recent);
    }
    const recent = this.#refetched.get(address) ?? [];
    if (recent.length >= mostRefetches) return false;
    this.#refetched.set(address, [...recent, now]);
    return true;
  }
}

async function fetchKeys(address: string, signal: AbortSignal): Promise<readonly PublicKey[]> {
  const headers = { accept: 'application/jwk-set+json, application/json' };
  const answer = await request(address, { headers }, { loopback: isLoopback(address), signal });
  if (answer.status !== 200) throw new Fault('unavailable', `its keys are missing: status ${answer.status}`);
  const { keys } = await jsonObject(answer, 'unavailable');
  if (!Array.isArray(keys)) throw new Fault('unavailable', 'its keys are not a list');
  if (keys.length > most.keys) throw new Fault('unavailable', `it has more than ${most.keys} keys`);
  return keys.filter(isObject).flatMap((key): readonly PublicKey[] => {
    if (secret.some((name) => Object.hasOwn(key, name)))
      throw new Fault('unavailable', 'it publishes a private or symmetric key');
    const read = publicKey(key);
    return read === undefined ? [] : [read];
  });
}

/** Undefined if a member is malformed. */
function publicKey(key: Readonly<Record<string, unknown>>): PublicKey | undefined {
  const members: [string, string | readonly string[]][] = [];
  for (const name of copied) {
    const value = Object.hasOwn(key, name) ? key[name] : undefined;
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.length > most.length) return undefined;
    members.push([name, value]);
  }
  const operations = key['key_ops'];
  if (Array.isArray(operations))
    members.push(['key_ops', operations.slice(0, most.operations).filter((one) => typeof one === 'string')]);
  return Object.fromEntries(members);
}
