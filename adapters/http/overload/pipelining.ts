// Processes pipelined requests of one connection one after the other: each begins in a later event loop iteration than
// the end of the previous answer. Node emits all requests of one packet in one iteration, and sends their answers in
// order anyway.
import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { asksToSwitch } from './upgrades.ts';

/** Requests queued per connection before it is paused. Up to 2,600 may have been read by then. */
const readAhead = 16;
/** Requests queued in total, at 3 KB each. Past it, a connection that exceeds its read-ahead is closed. */
const mostWaiting = 10_000;

type Handle = (request: IncomingMessage, answer: ServerResponse) => void;

/** The queue of one connection. */
interface Line {
  readonly socket: Socket;
  readonly waiting: (() => void)[];
  /** Whether a request is running or about to begin. */
  busy: boolean;
  /** Whether requests are read from it; false after a request to switch protocols. */
  reads: boolean;
}

/** Wraps the request listeners that are already registered. `most` is for tests. */
export function pipelineRequests(listener: Server, most = mostWaiting): void {
  const queues = new PipelineQueues(most);
  for (const event of ['request', 'checkContinue'] as const) {
    const handles = listener.listeners(event) as Handle[];
    listener.removeAllListeners(event).on(event, (request: IncomingMessage, answer: ServerResponse) =>
      queues.take(request, answer, () => {
        for (const handle of handles) handle(request, answer);
      }),
    );
  }
}

class PipelineQueues {
  readonly #lines = new WeakMap<Socket, Line>();
  readonly #most: number;
  #waiting = 0;

  constructor(most: number) {
    this.#most = most;
  }

  take(request: IncomingMessage, answer: ServerResponse, handle: () => void): void {
    const { socket } = request;
    const line = this.#lineOf(socket);
    if (asksToSwitch(request)) line.reads = false;
    const begin = (): void => {
      // Node does not assign the socket to the answer of an upgrade request.
      if (answer.socket === null) answer.assignSocket(socket);
      answer.once('close', () => this.#answered(line));
      handle();
    };
    if (!line.busy) {
      line.busy = true;
      begin();
    } else if (!socket.destroyed) this.#wait(line, begin);
  }

  #lineOf(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line: Line = { socket, waiting: [], busy: false, reads: true };
    this.#lines.set(socket, line);
    socket.once('close', () => this.#leave(line));
    // Node resumes the socket after each request, and reading a body resumes it too.
    socket.on('resume', () => holdBack(line));
    return line;
  }

  #wait(line: Line, begin: () => void): void {
    const { socket, waiting } = line;
    if (isFull(line) && this.#waiting >= this.#most) {
      socket.destroy();
      return;
    }
    this.#waiting += 1;
    // The request must not run in the async context of the previous one.
    waiting.push(AsyncResource.bind(begin));
    // Only after the whole packet is parsed: a connection that switches to another protocol must still be read.
    if (waiting.length === readAhead) process.nextTick(holdBack, line);
  }

  #answered(line: Line): void {
    if (line.waiting.length === 0) line.busy = false;
    else setImmediate(() => this.#next(line));
  }

  #next(line: Line): void {
    const { socket, waiting } = line;
    // A request that cannot be answered must not be performed.
    if (socket.destroyed || socket.writableEnded) {
      this.#leave(line);
      return;
    }
    const wasFull = isFull(line);
    const begin = waiting.shift();
    this.#waiting -= 1;
    if (wasFull && !isFull(line)) socket.resume();
    begin?.();
  }

  #leave({ waiting }: Line): void {
    this.#waiting -= waiting.length;
    waiting.length = 0;
  }
}

const isFull = ({ reads, waiting }: Line): boolean => reads && waiting.length >= readAhead;

function holdBack(line: Line): void {
  if (isFull(line)) line.socket.pause();
}
