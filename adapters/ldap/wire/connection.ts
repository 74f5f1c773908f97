// A connection to the directory with one operation at a time, each ended by its signal.
import { Client, ResultCodeError, type Entry, type Filter } from 'ldapts';
import type { Address } from '../options.ts';
import { dial, type Step } from './dial.ts';
import { MessageStream } from './message-stream.ts';

/** Result codes (RFC 4511, appendix A.1). */
export const resultCode = {
  sizeLimitExceeded: 4,
  referral: 10,
  noSuchObject: 32,
  inappropriateAuthentication: 48,
  invalidCredentials: 49,
} as const;

/** Common codes in words for operators. */
const meanings: Readonly<Record<number, string>> = {
  1: 'operations error: many directories do not let anonymous clients search',
  3: 'time limit exceeded',
  8: 'stronger authentication required',
  11: 'administrative limit exceeded',
  13: 'confidentiality required: it accepts encrypted connections only',
  32: 'no such entry: the base DN or the group does not exist, or may not be seen',
  34: 'invalid DN',
  49: 'invalid credentials',
  50: 'insufficient access',
  51: 'busy',
  52: 'unavailable',
  53: 'unwilling to perform',
};

export const meaning = (code: number): string => {
  const words = meanings[code];
  return words === undefined ? '' : ` (${words})`;
};

/** The directory answered an operation with a result code other than success. Has no text of the directory. */
export class Answered extends Error {
  readonly code: number;

  constructor(operation: string, code: number) {
    super(`The directory answered the ${operation} with result code ${code}${meaning(code)}`);
    this.name = 'Answered';
    this.code = code;
  }
}

/** The connection failed, or the directory broke the protocol: not an answer of the directory. */
export class ConnectionFailed extends Error {
  constructor(what: string, cause: unknown) {
    super(`${what}: ${reasonOf(cause)}`);
    this.name = 'ConnectionFailed';
  }
}

/** An attribute's values; text where they are valid UTF-8. */
export type Values = readonly (string | Buffer)[];

/** An entry of the directory. */
export interface Found {
  readonly dn: string;
  /** The values of an attribute, whose name is compared case-insensitively. */
  values(attribute: string): Values;
}

export interface Query {
  readonly base: string;
  readonly scope: 'base' | 'sub';
  readonly filter: Filter;
  readonly attributes: readonly string[];
  readonly sizeLimit: number;
  /** Seconds, for the directory. The signal ends the search here. */
  readonly timeLimit: number;
}

/** Attributes that are not text. */
const binary = ['objectGUID', 'objectguid'];

export class Connection {
  readonly #client: Client;
  readonly #stream: MessageStream;
  /** When the last operation ended, as milliseconds of `performance.now`. */
  lastUsed = performance.now();

  private constructor(client: Client, stream: MessageStream) {
    this.#client = client;
    this.#stream = stream;
  }

  /** Opens a connection. @throws {ConnectionFailed} or the reason of the signal. */
  static async open(address: Address, signal: AbortSignal, done?: (step: Step) => void): Promise<Connection> {
    let reached: Step | undefined;
    try {
      const socket = await dial(address, signal, (step) => {
        reached = step;
        done?.(step);
      });
      const stream = new MessageStream(socket);
      const client = new Client({
        // The stream is encrypted already; the library gets it like a plain socket.
        url: 'ldap://directory.invalid',
        createConnection: (() => stream) as unknown as NonNullable<
          ConstructorParameters<typeof Client>[0]['createConnection']
        >,
      });
      return new Connection(client, stream);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new ConnectionFailed(
        reached === undefined ? 'The directory cannot be reached' : 'No encrypted connection to the directory',
        error,
      );
    }
  }

  get isOpen(): boolean {
    return !this.#stream.destroyed && !this.#stream.readableEnded;
  }

  destroy(): void {
    this.#stream.destroy();
  }

  /** Calls the function once, when the connection is closed. */
  onClose(then: () => void): void {
    this.#stream.once('close', then);
  }

  /** Binds with a name and a password. @throws {Answered} @throws {ConnectionFailed} */
  async bind(dn: string, password: string, signal: AbortSignal): Promise<void> {
    // An empty name or password is a request for an anonymous bind (RFC 4513, 5.1), which succeeds for everyone.
    if (dn === '' || password === '') throw new Error('A bind needs a name and a password');
    await this.#run('bind', signal, () => this.#client.bind(dn, password));
    if (this.#stream.code !== 0) throw new Answered('bind', this.#stream.code ?? -1);
  }

  /** Returns the entries that match. References to other servers are ignored. @throws as `bind` */
  async search({ base, filter, attributes, ...query }: Query, signal: AbortSignal): Promise<readonly Found[]> {
    const { searchEntries } = await this.#run('search', signal, () =>
      this.#client.search(base, {
        ...query,
        filter,
        derefAliases: 'never',
        attributes: [...attributes],
        explicitBufferAttributes: binary,
      }),
    );
    // The library returns the first entries as if they were all.
    if (this.#stream.code !== 0) throw new Answered('search', this.#stream.code ?? -1);
    return searchEntries.map(foundOf);
  }

  async #run<T>(operation: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const end = (): void => {
      this.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', end, { once: true });
    try {
      // A connection that was closed must not be opened again by the library.
      if (!this.isOpen) throw new Error('it was closed');
      const working = work();
      // After an abort, the failure of the operation must not become an unhandled rejection.
      working.catch(() => undefined);
      return await Promise.race([working, aborted]);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof ResultCodeError) throw new Answered(operation, error.code);
      this.destroy();
      throw new ConnectionFailed(`The ${operation} failed`, this.#stream.errored ?? error);
    } finally {
      signal.removeEventListener('abort', end);
      this.lastUsed = performance.now();
    }
  }
}

function foundOf(entry: Entry): Found {
  const byName = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), [value].flat()]));
  const { dn } = entry;
  // An empty name would be an anonymous bind; the library treats a name such as EXTERNAL as a SASL mechanism.
  if (typeof dn !== 'string' || !dn.includes('=')) throw new Error('The directory returned an entry without a name');
  return { dn, values: (attribute) => byName.get(attribute.toLowerCase()) ?? [] };
}

/** A short reason without texts of the directory, which may contain what was sent to it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return code;
  if (error.message.startsWith('Connection closed before')) return 'the connection was closed';
  return error.message.split('\n')[0]?.slice(0, 200) ?? '';
}
