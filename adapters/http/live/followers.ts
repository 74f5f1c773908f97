// The live connections of this process: their topics, their number, and the periodic access rechecks.
import { FairLimiter } from '#core/kernel/limits/fair-limiter';
import { RateLimited, Unavailable } from '#core/kernel/errors';
import type { LiveListener, LiveMessage } from '#core/kernel/storage/live';
import type { Log } from '#core/kernel/services/log';
import { Audience } from './audience.ts';
import { closing, type Follower, type LiveLimits } from './follower.ts';

const beatMs = 1_000;
/** Concurrent access rechecks. Messages wait for them; periodic rechecks use at most two. */
const questions = 8;
const questionsOfRounds = 2;
/** With more audiences than this, the longer recheck interval of `recheckMs` applies. */
const few = 100;
const largestData = 16 * 1024;
const retryAfterSeconds = 10;

/** The topic that a client follows, and its access. */
export interface Following {
  readonly channel: string;
  readonly of: string;
  /** The caller key of the connection. */
  readonly whose: string;
  /** Equal for connections that share access rechecks: same credential and same resource. */
  readonly audience: string;
  readonly about: ReadonlySet<string>;
  readonly ask: () => Promise<unknown>;
}

export class Followers implements LiveListener {
  readonly #limits: LiveLimits;
  readonly #log: Log;
  readonly #limiter: FairLimiter;
  readonly #perCaller = new Map<string, number>();
  readonly #followers = new Set<Follower>();
  readonly #audiences = new Map<string, Audience>();
  /** Topic → its audiences. */
  readonly #topics = new Map<string, Set<Audience>>();
  #admitted = 0;
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  #stopping = false;

  constructor(limits: LiveLimits, log: Log) {
    this.#limits = limits;
    this.#log = log;
    this.#limiter = new FairLimiter({
      slots: questions,
      // An audience waits for at most one recheck.
      queue: limits.inAll,
      refusal: () => new Unavailable('Too many live connections are asked about at once'),
    });
  }

  /**
   * Reserves a slot for one connection; the returned function releases it.
   * @throws {RateLimited | Unavailable} if the caller or the process has too many.
   */
  admit(caller: string): () => void {
    const { perCaller, inAll } = this.#limits;
    if (this.#stopping) throw new Unavailable('The server stops', { retryAfter: retryAfterSeconds });
    const own = this.#perCaller.get(caller) ?? 0;
    if (own >= perCaller)
      throw new RateLimited('Too many live connections', retryAfterSeconds, {
        detail: `You may have ${perCaller} at a time; close some`,
      });
    if (this.#admitted >= inAll)
      throw new Unavailable('The server has as many live connections as it may', {
        detail: 'Try again later',
        retryAfter: retryAfterSeconds,
      });
    this.#admitted += 1;
    this.#perCaller.set(caller, own + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#admitted -= 1;
      const left = (this.#perCaller.get(caller) ?? 1) - 1;
      if (left === 0) this.#perCaller.delete(caller);
      else this.#perCaller.set(caller, left);
    };
  }

  /** Manages a connection until it ends. */
  join(follower: Follower, following: Following): void {
    const topic = topicOf(following.channel, following.of);
    const key = `${topic}\n${following.audience}`;
    const audience = this.#audiences.get(key) ?? this.#open(topic, key, following);
    audience.followers.add(follower);
    this.#followers.add(follower);
    this.#timer ??= setInterval(() => this.#beat(), beatMs).unref();
    follower.onEnd(() => {
      this.#followers.delete(follower);
      audience.followers.delete(follower);
      if (audience.followers.size === 0 && this.#audiences.get(key) === audience) this.#close(topic, key, audience);
      if (this.#followers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    if (this.#stopping) follower.end(closing.stopping, stops);
  }

  told(channel: string, of: string, { type, data, at }: LiveMessage): void {
    const audiences = this.#topics.get(topicOf(channel, of));
    if (audiences === undefined) return;
    const bytes = Buffer.from(JSON.stringify({ type, data, at: at.toISOString() }));
    if (bytes.length > largestData)
      throw new Error(`a message of the channel "${channel}" is larger than ${largestData} bytes`);
    for (const audience of audiences) audience.tell(bytes);
  }

  suspected(aggregate: string): void {
    const id = aggregate.slice(aggregate.indexOf(':') + 1);
    for (const audience of this.#audiences.values()) if (audience.about.has(id)) void audience.doubt();
  }

  /** Closes every connection because the server stops. A client that does not answer is disconnected later. */
  stop(): void {
    this.#stopping = true;
    for (const follower of this.#followers) follower.end(closing.stopping, stops);
  }

  #open(topic: string, key: string, { about, ask }: Following): Audience {
    const audience = new Audience({ about, ask, limiter: this.#limiter, log: this.#log });
    this.#audiences.set(key, audience);
    const audiences = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, audiences.add(audience));
    return audience;
  }

  #close(topic: string, key: string, audience: Audience): void {
    this.#audiences.delete(key);
    const audiences = this.#topics.get(topic);
    audiences?.delete(audience);
    if (audiences?.size === 0) this.#topics.delete(topic);
  }

  #beat(): void {
    const now = performance.now();
    for (const follower of this.#followers) follower.beat(now);
    if (!this.#isAsking) void this.#renew();
  }

  /** Rechecks every audience whose recheck interval has passed, few at a time. */
  async #renew(): Promise<void> {
    const [ofFew, ofMany] = this.#limits.recheckMs;
    const recheck = this.#audiences.size > few ? ofMany : ofFew;
    const due = [...this.#audiences.values()].filter((audience) => audience.isOlder(recheck)).values();
    const lane = async (): Promise<void> => {
      for (const audience of due) await audience.doubt();
    };
    this.#isAsking = true;
    await Promise.all(Array.from({ length: questionsOfRounds }, lane));
    this.#isAsking = false;
  }
}

const stops = 'The server stops';

const topicOf = (channel: string, of: string): string => `${channel}\n${of}`;
