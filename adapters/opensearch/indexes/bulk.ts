// Sends operations to an index in bounded requests, one after the other. An operation that is not applied is an error.
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { TimedOut } from '#core/kernel/errors';
import { list, members, number } from '../client/answers.ts';
import type { OpenSearchNode } from '../client/node.ts';
import { Malformed, Refused, refusalOf } from '../client/refusal.ts';
import type { Operation } from './stored.ts';

export interface Destination {
  readonly node: OpenSearchNode;
  /** An alias of the index for writing. */
  readonly alias: string;
  /** The repository whose documents are on the same shard. */
  readonly routing: string;
}

/**
 * A destination of one write. OpenSearch refuses operations of a lower version on what this write has stored or
 * deleted: those of a process that was killed, or of a request that was given up, may be applied late.
 */
export interface Writing extends Destination {
  /** Greater than that of every earlier write of the same source. */
  readonly version: number;
}

/** Milliseconds of uninterrupted work. */
const longestTurn = 10;
/** Of one request. An operation that is longer has a request for itself. */
const most = { bytes: 5 * 1024 * 1024, operations: 500 } as const;
/** Milliseconds. */
const limits = {
  answer: 30_000,
  /** Retries of one request, while OpenSearch is overloaded. */
  retries: 60_000,
  pause: 100,
  longestPause: 5_000,
} as const;

/**
 * @param visible whether queries see the operations, and earlier ones of the same repository, when it resolves.
 * @param first whether another write of the same version is refused, too.
 * @throws {HexforgeError} if an operation was not applied. Others may have been. `Conflict` if a later write began.
 */
export async function sendAll(
  to: Writing,
  operations: Iterable<Operation>,
  { visible = false, first = false }: { readonly visible?: boolean; readonly first?: boolean } = {},
): Promise<void> {
  let pending: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (pending.length > 0) await send(to, pending, visible);
    pending = [];
    bytes = 0;
  };
  let began = performance.now();
  for (const operation of operations) {
    // Making and serializing operations takes time. Other work is done in between.
    if (performance.now() - began > longestTurn) {
      await immediate();
      began = performance.now();
    }
    const lines = linesOf(operation, to, first);
    const length = Buffer.byteLength(lines);
    if (bytes + length > most.bytes || pending.length === most.operations) await flush();
    pending.push(lines);
    bytes += length;
  }
  await flush();
}

function linesOf({ id, stored }: Operation, { routing, version }: Writing, first: boolean): string {
  const target = { _id: id, routing, version, version_type: first ? 'external' : 'external_gte' };
  const action = { [stored === undefined ? 'delete' : 'index']: target };
  return `${JSON.stringify(action)}\n${stored === undefined ? '' : `${JSON.stringify(stored)}\n`}`;
}

/** Sends operations, and those again that OpenSearch rejects because it is overloaded, after growing pauses. */
async function send({ node, alias }: Destination, operations: readonly string[], visible: boolean): Promise<void> {
  let left = operations;
  const end = performance.now() + limits.retries;
  for (let pause = limits.pause as number; ; pause = Math.min(pause * 2, limits.longestPause)) {
    left = await sendOnce(node, alias, left, visible);
    if (left.length === 0) return;
    if (performance.now() + pause > end) throw new TimedOut('OpenSearch stayed overloaded');
    // The pause varies, because other processes may be waiting for the same node.
    await sleep(pause * (0.5 + Math.random()));
  }
}

const overloaded = 429;

/** @returns the operations to send again. */
async function sendOnce(
  node: OpenSearchNode,
  alias: string,
  operations: readonly string[],
  visible: boolean,
): Promise<readonly string[]> {
  let body: unknown;
  try {
    ({ body } = await node.ask({
      method: 'POST',
      path: [alias, '_bulk'],
      query: {
        require_alias: true,
        timeout: '20s',
        refresh: visible,
        filter_path: 'errors,items.*.status,items.*.error.type',
      },
      lines: operations.join(''),
      ms: limits.answer,
    }));
  } catch (error) {
    if (error instanceof Refused && error.status === overloaded) return operations;
    throw error;
  }
  const { errors, items } = members(body);
  if (errors === false) return [];
  const answers = list(items);
  if (answers.length !== operations.length) throw new Malformed();
  return operations.filter((_, index) => {
    const [answer] = Object.values(members(answers[index]));
    const { status, error } = members(answer);
    if (error === undefined) return false;
    const refusal = refusalOf(number(status), members(error)['type']);
    if (refusal instanceof Refused && refusal.status === overloaded) return true;
    throw refusal;
  });
}
