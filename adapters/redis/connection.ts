// One connection to Redis that is never waited for long: bounded in time and in what is under way, and opened again by
// itself.
import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';
import type { Log } from '#core/kernel/log';

/** Milliseconds. */
const limits = {
  /** For one answer: a request waits no longer for its budget. */
  answer: 1_000,
  connect: 2_000,
  /** Between attempts, so that counting is shared again soon after Redis is back. */
  again: 500,
} as const;
/** Commands under way; beyond them it is as if Redis did not answer. */
const mostCommands = 10_000;

export interface Connection {
  /** Whether it is worth asking. */
  ready(): boolean;
  /** Runs a script under its digest, which Redis learns where it does not know it. Rejects within `limits.answer`. */
  evaluate(script: string, key: string, values: readonly (string | number)[]): Promise<unknown>;
  remove(key: string): Promise<void>;
  /** An answer did not come or made no sense: nobody asks until Redis answers again. */
  failed(error: unknown): void;
  /** What is wrong, for `/readyz`, without addresses or credentials. */
  complaint(): string | undefined;
  /** Never rejects: where Redis is away it is opened later. */
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
      // What has come while this process was busy is read first.
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
      // Its own attempts go on; this waits for the first of them alone.
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
