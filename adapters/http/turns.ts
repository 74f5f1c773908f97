// The requests of one connection take turns: one begins when the one before it has been answered, in a later turn of
// the event loop. Node tells of all that came in one packet in one turn, and sends their answers in order anyhow.
import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { asksToSwitch } from './live/upgrades.ts';

/** So many may wait on a connection before nothing more is read from it. What was read by then may be 2,600. */
const readAhead = 16;
/** So many may wait in all, at 3 KB each. A connection that would add to them, past its own few, is closed. */
const mostWaiting = 10_000;

type Handle = (request: IncomingMessage, answer: ServerResponse) => void;

/** What waits on one connection. */
interface Line {
  readonly socket: Socket;
  readonly waiting: (() => void)[];
  /** Whether a request is under way, or about to begin. */
  busy: boolean;
  /** Whether requests are read from it; no more after one that asks for another protocol. */
  reads: boolean;
}

/** Goes between the listener and whoever listens to its requests already. `most` is for tests. */
export function takeTurns(listener: Server, most = mostWaiting): void {
  const turns = new Turns(most);
  for (const event of ['request', 'checkContinue'] as const) {
    const handles = listener.listeners(event) as Handle[];
    listener.removeAllListeners(event).on(event, (request: IncomingMessage, answer: ServerResponse) =>
      turns.take(request, answer, () => {
        for (const handle of handles) handle(request, answer);
      }),
    );
  }
}

class Turns {
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
      // That of a request for another protocol has no place in Node's own line of answers.
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
    // Node resumes it after each request, and whoever reads a body does.
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
    // It must not begin in the name of the one before it.
    waiting.push(AsyncResource.bind(begin));
    // Not before all of the packet is known: a connection that goes on under another protocol must be read.
    if (waiting.length === readAhead) process.nextTick(holdBack, line);
  }

  #answered(line: Line): void {
    if (line.waiting.length === 0) line.busy = false;
    else setImmediate(() => this.#next(line));
  }

  #next(line: Line): void {
    const { socket, waiting } = line;
    // What cannot be answered must not be done.
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
