// One connection to Redis with a time limit per command and a bound on pending commands. It reconnects by itself.
import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';
import type { Log } from '#core/kernel/services/log';

/** Milliseconds. */
const limits = {
  /** Time limit of one command, so that a request does not wait longer for its rate limit. */
  answer: 1_000,
  connect: 2_000,
  /**
   * Between connection attempts and between probes, so that counting is shared again soon after Redis has recovered.
   */
  again: 500,
} as const;
/** Pending commands. Further commands are rejected, as if Redis did not answer. */
const mostCommands = 10_000;

export interface Connection {
  /** Whether the last probe succeeded and no command has failed since. If not, callers do not send commands. */
  ready(): boolean;
  /**
   * Runs a script by its digest, and sends its text only if Redis does not have it cached. Rejects if Redis does not
   * answer within `limits.answer`.
   */
  evaluate(script: string, key: string, values: readonly (string | number)[]): Promise<unknown>;
  remove(key: string): Promise<void>;
  /** Reports a command that failed or returned an invalid reply: `ready` is false until the next successful probe. */
  failed(error: unknown): void;
  /** The current problem for `/readyz`, without addresses or credentials; undefined if there is no problem. */
  complaint(): string | undefined;
  /** Never rejects. If Redis is unreachable, the connection is opened later. */
  open(): Promise<void>;
  close(): void;
}

export function connect({ url, log }: { readonly url: string; readonly log: Log }): Connection {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: mostCommands,
    socket: { connectTimeout: limits.connect, reconnectStrategy: () => limits.again },
  });
  let well = false;
  let closed = false;
  let probing: NodeJS.Timeout | undefined;

  const answered = async <T>(asked: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const refuse = (): void => reject(new Error(`Redis did not answer within ${limits.answer} ms`));
      // Replies that arrived while the event loop was blocked are read before the timeout counts.
      timer = setTimeout(() => setImmediate(refuse), limits.answer);
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
      asked.catch(() => undefined);
    }
  };
  const probe = async (): Promise<void> => {
    try {
      if (client.isReady) {
        await answered(client.ping());
        if (!well) log.info({}, 'Redis answers: rates are counted for all processes together');
        well = true;
      } else sick(undefined);
    } catch (error) {
      sick(error);
    }
    if (!closed) probing = setTimeout(() => void probe(), limits.again).unref();
  };
  const sick = (error: unknown): void => {
    if (well) log.warn({ err: error }, 'Redis does not answer: each process counts rates on its own until it does');
    well = false;
  };
  client.on('error', sick);

  return {
    ready: () => well,
    async evaluate(script, key, values) {
      const options = { keys: [key], arguments: values.map(String) };
      try {
        return await answered(client.evalSha(digestOf(script), options));
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return answered(client.eval(script, options));
      }
    },
    async remove(key) {
      await answered(client.del(key));
    },
    failed: sick,
    complaint: () => (well ? undefined : 'Redis does not answer: each process counts rates on its own'),
    async open() {
      // Waits for the first connection attempt only, at most `limits.connect` ms. The client keeps trying afterwards.
      await Promise.race([client.connect().catch(() => undefined), new Promise((r) => setTimeout(r, limits.connect))]);
      await probe();
    },
    close() {
      closed = true;
      clearTimeout(probing);
      client.destroy();
    },
  };
}

const digests = new Map<string, string>();

function digestOf(script: string): string {
  const known = digests.get(script) ?? createHash('sha1').update(script).digest('hex');
  digests.set(script, known);
  return known;
}
