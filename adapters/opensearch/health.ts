// Watches OpenSearch: whether it answers, and whether the index that answers can be used and written.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#core/kernel/services/log';
import { HexforgeError, Unavailable } from '#core/kernel/errors';
import { members } from './client/answers.ts';
import type { OpenSearchNode } from './client/node.ts';
import { Refused } from './client/refusal.ts';
import { isOutdated, type Generations } from './indexes/generations.ts';

/** Milliseconds. */
const limits = {
  /** Of each of the requests of a probe. */
  answer: 2_000,
  /** Of the wait for the first probe, which may last longer. */
  open: 5_000,
  /** Between probes while OpenSearch is well, and while it is not. */
  well: 5_000,
  sick: 1_000,
} as const;

export interface Health {
  /** The current problem, without addresses or credentials; undefined if OpenSearch is well. */
  complaint(): string | undefined;
  /** While OpenSearch does not answer, rejects at once instead of letting a caller wait. @throws {Unavailable} */
  check(): void;
  /** A request failed: the next probe follows at once. */
  failed(): void;
  /** Waits a while for the first probe. Others follow. Never rejects. */
  open(): Promise<void>;
  close(): void;
}

export function watch(node: OpenSearchNode, generations: Generations, log: Log): Health {
  let complaint: string | undefined = 'OpenSearch has not answered yet';
  let answers = false;
  let known = false;
  let closed = true;
  let probing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const found = async (): Promise<string | undefined> => {
    if (!known) await identify(node);
    known = true;
    const { answering } = await generations.current(limits.answer);
    if (answering.blocked) return 'The search index is read-only in OpenSearch, as when its disk is full';
    return isOutdated(answering)
      ? 'The search index was made by another version of Hexforge: run "hexforge reindex"'
      : undefined;
  };
  const probe = async (): Promise<void> => {
    const before = complaint;
    try {
      complaint = await found();
      answers = true;
    } catch (error) {
      complaint = error instanceof HexforgeError ? error.message : 'OpenSearch could not be probed';
      answers = false;
    }
    if (closed || complaint === before) return;
    if (complaint === undefined) log.info({}, 'OpenSearch answers');
    else log.warn({}, complaint);
  };
  const next = (): Promise<void> => {
    clearTimeout(timer);
    probing ??= probe().finally(() => {
      probing = undefined;
      if (!closed) timer = setTimeout(() => void next(), complaint === undefined ? limits.well : limits.sick).unref();
    });
    return probing;
  };
  return {
    complaint: () => complaint,
    check() {
      if (!answers) throw new Unavailable(complaint ?? 'OpenSearch does not answer');
    },
    failed() {
      // While it does not answer, the probes are frequent enough.
      if (!closed && answers) void next();
    },
    async open() {
      closed = false;
      await Promise.race([next(), sleep(limits.open, undefined, { ref: false })]);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** @throws {Unavailable} if the server is something else. A server that hides what it is, is accepted. */
async function identify(node: OpenSearchNode): Promise<void> {
  try {
    const { body } = await node.ask({ method: 'GET', path: [''], ms: limits.answer });
    const { distribution } = members(members(body)['version'] ?? {});
    if (distribution === 'opensearch') return;
  } catch (error) {
    if (error instanceof Refused && (error.status === 403 || error.status === 404)) return;
    throw error;
  }
  throw new Unavailable('The server at the configured URL is not OpenSearch');
}
