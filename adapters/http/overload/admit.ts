// The one entrance of the defences against overload: connections, request queues, rate limits, and memory of bodies.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { MemoryBudget, type MemoryBudgetLimits } from '#core/kernel/limits/memory-budget';
import type { RateBudgets, RateCounter } from '#core/kernel/rate';
import { defaultIdleMilliseconds, headMilliseconds } from './between-requests.ts';
import { answerBrokenRequest } from './broken-requests.ts';
import { Connections } from './connections.ts';
import { defaultPace, type Pace } from './pace.ts';
import { rateLimiter, type RateLimiter } from './rate-limiter.ts';
import { RequestQueues } from './request-queues.ts';

/**
 * The memory budget of request bodies: one caller may use nearly two of the largest bodies, or about a hundred of the
 * default size.
 */
const heldBytesLimits: MemoryBudgetLimits = { perCaller: 96 * 1024 ** 2, inAll: 128 * 1024 ** 2 };

export interface OverloadOptions {
  readonly rateCounter: RateCounter;
  /** Undefined: nothing is metered. */
  readonly budgets: RateBudgets | undefined;
  /** Milliseconds after which an idle connection is closed. Default: 75 s. */
  readonly idleMs?: number | undefined;
  /** This and the following options are for tests. */
  readonly connectionsPerClient?: number;
  readonly requestsWaiting?: number;
  readonly pace?: Pace;
  readonly headMs?: number;
  readonly memoryBudget?: MemoryBudgetLimits;
}

/** The defences that the steps of a request use. */
export interface Admission {
  readonly limiter: RateLimiter;
  readonly memory: MemoryBudget;
  readonly queues: RequestQueues;
  /** Ends all connections gracefully. */
  readonly end: (graceMs: number) => Promise<void>;
}

/**
 * Admits requests to the request listeners that are already registered.
 * @param clientAt the client at a socket's address; undefined for a trusted proxy, which forwards requests of many.
 */
export function admit(
  listener: Server,
  options: OverloadOptions,
  clientAt: (address: string | undefined) => string | undefined,
  newRequestId: () => string,
): Admission {
  const connections = new Connections(listener, {
    clientAt,
    requestId: newRequestId,
    pace: options.pace ?? defaultPace,
    wait: {
      idleMilliseconds: options.idleMs ?? defaultIdleMilliseconds,
      headMilliseconds: options.headMs ?? headMilliseconds,
    },
    perClient: options.connectionsPerClient,
    requestsWaiting: options.requestsWaiting,
  });
  listener.removeAllListeners('clientError').on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const current = connections.current(socket);
    const requestId = current?.getHeader('x-request-id')?.toString() ?? newRequestId();
    answerBrokenRequest(error, socket, { current, requestId });
  });
  return {
    limiter: rateLimiter(options),
    memory: new MemoryBudget(options.memoryBudget ?? heldBytesLimits),
    queues: new RequestQueues(),
    end: (graceMs) => connections.end(graceMs),
  };
}
