// A client of the drill: each answer is recorded as an acknowledgement, a rejection, or an unknown outcome.
import { adminPassword } from '#test/support/servers/server-process';
import type { ChurnGit } from '../../churn-git.ts';
import type { Figures } from './figures.ts';
import { toldOf } from './push-report.ts';
import { absent, type Finding, type Register } from '../register.ts';

/** `unreached`: no connection, so nothing was done. */
export type Sent = Answered | { readonly outcome: 'unanswered' } | { readonly outcome: 'unreached' };
interface Answered {
  readonly outcome: 'answered';
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A change of one register to another state. A register has the possible states of one thing (../register.ts). */
export interface Change {
  readonly kind: string;
  readonly register: Register;
  readonly to: string;
  /** Keys of the events and audit entries that record the change. */
  readonly traces: readonly string[];
}

/** Thrown when a request is still rejected or unanswered after the disturbance has ended. */
export class Unhealed extends Error {}

/** After this time a session is replaced, before it expires. */
const sessionMs = 240_000;

/** The time limit of a request. */
export const patienceMs = 10_000;

/** Texts that a rejection must not contain, because they do not name a cause. */
const vague =
  /should not have happened|failed to answer|internal|does not take this change|unable to create temporary/i;
/** Texts of an answer that states that the outcome is unknown. */
const leavesOpen = /the change was made|may (or may not )?have|whether it|not known|unknown whether/i;

export class Client {
  readonly username: string;
  readonly figures: Figures;
  readonly git: ChurnGit;
  /** Returns the server to use; it can change to another server of the same forge. */
  url: () => string;
  token = '';
  session = '';
  readonly #password: string;
  #signedIn = -Infinity;

  constructor(options: {
    readonly username: string;
    readonly password?: string;
    readonly figures: Figures;
    readonly git: ChurnGit;
    readonly url: () => string;
  }) {
    this.username = options.username;
    this.#password = options.password ?? adminPassword;
    this.figures = options.figures;
    this.git = options.git;
    this.url = options.url;
  }

  async send(method: string, path: string, body?: unknown, credential = this.token): Promise<Sent> {
    try {
      const response = await fetch(`${this.url()}/api/v1${path}`, {
        method,
        headers: {
          ...(credential !== '' && { authorization: `Bearer ${credential}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await response.text();
      return {
        outcome: 'answered',
        status: response.status,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
      };
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') this.figures.late += 1;
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
      return { outcome: code === 'ECONNREFUSED' ? 'unreached' : 'unanswered' };
    }
  }

  /** Sends a request that must succeed. @throws {Unhealed} if it does not succeed within the time limit. */
  async sure(
    method: string,
    path: string,
    body?: unknown,
    credential = this.token,
  ): Promise<Readonly<Record<string, unknown>>> {
    const until = Date.now() + 2 * patienceMs;
    for (;;) {
      const sent = await this.send(method, path, body, credential);
      if (sent.outcome === 'answered' && sent.status < 300) return sent.body;
      if (Date.now() > until)
        throw new Unhealed(
          `${method} ${path} ${sent.outcome === 'answered' ? `answers ${wordsOf(sent)}` : `is ${sent.outcome}`}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Signs in again if the session is some minutes old. */
  async signIn(): Promise<void> {
    if (performance.now() - this.#signedIn < sessionMs) return;
    const credentials = { username: this.username, password: this.#password };
    this.session = String((await this.sure('POST', '/auth/login', credentials, ''))['access_token']);
    this.#signedIn = performance.now();
  }

  /** @returns whether the change was acknowledged. */
  async change(
    change: Change,
    request: { readonly method: string; readonly path: string; readonly body?: unknown; readonly credential?: string },
    stateOf: (body: Readonly<Record<string, unknown>>) => string = () => change.to,
  ): Promise<boolean> {
    const { kind, register, to, traces } = change;
    const from = Date.now();
    const sent = await this.send(request.method, request.path, request.body, request.credential);
    if (sent.outcome === 'unreached') return false;
    if (sent.outcome === 'answered' && sent.status < 300) {
      register.acknowledged(stateOf(sent.body));
      this.figures.acknowledge(kind, traces);
      return true;
    }
    if (sent.outcome === 'unanswered' || leavesOpen.test(JSON.stringify(sent.body))) {
      register.unanswered(to);
      this.figures.leaveOpen(kind, traces, from);
    } else {
      this.figures.find(judgement(change, sent));
      register.refused(to, wordsOf(sent));
      this.figures.refuse(kind, wordsOf(sent), traces);
    }
    return false;
  }

  /** Makes one push with the stock client. @returns whether all of it was acknowledged. */
  async push(path: string, changes: readonly (Change & { readonly force: boolean })[]): Promise<boolean> {
    const remote = `${this.url().replace('://', `://${this.username}:${this.token}@`)}/${path}.git`;
    const specs = changes.map(
      ({ register: { name }, to, force }) => `${force ? '+' : ''}${to === absent ? '' : to}:${refOf(name)}`,
    );
    const ran = await this.git.run('push', '--porcelain', remote, ...specs);
    let done = 0;
    for (const change of changes) {
      const { kind, register, to, traces } = change;
      const told = toldOf(ran, refOf(register.name));
      if (told.outcome === 'done') {
        done += 1;
        register.acknowledged(to);
        this.figures.acknowledge(kind, traces);
      } else if (told.outcome === 'open') {
        register.unanswered(to);
        this.figures.leaveOpen(kind, traces);
      } else if (told.outcome === 'refused') {
        register.refused(to, told.words);
        this.figures.refuse(kind, told.words, traces);
        if (vague.test(told.words) || told.words === 'HTTP 500')
          this.figures.find({ kind: 'unclear', text: `${kind} of ${register.name} was refused: ${told.words}` });
        else if (told.words.startsWith('HTTP 4'))
          this.figures.find({ kind: 'untrue', text: `${kind} of ${register.name} was refused: ${told.words}` });
      }
    }
    return done === changes.length;
  }
}

/** Registers of refs are named `owner/name refs/…`. */
const refOf = (name: string): string => name.slice(name.indexOf(' ') + 1);

export function wordsOf({ status, body }: Answered): string {
  return `${status} ${typeof body['error'] === 'string' ? body['error'] : ''}`.slice(0, 100);
}

/** A rejection must be consistent with the possible states of the register, and name its cause. */
function judgement({ kind, register, to }: Change, answer: Answered): Finding | undefined {
  const { status } = answer;
  const text = `${kind} of ${register.name} was refused: ${wordsOf(answer)}`;
  if (status === 409 && to !== absent) return register.mayBePresent ? undefined : { kind: 'untrue', text };
  if (status === 404 && to === absent) return register.mayBeAbsent ? undefined : { kind: 'untrue', text };
  // A deletion may exceed the rate limit of deletions.
  if (status === 429 && to === absent) return undefined;
  return status < 500 ? { kind: 'untrue', text } : vagueness(`${kind} of ${register.name}`, answer);
}

/** A finding if a failure is not a 503 or 507 with its cause. */
export function vagueness(what: string, answer: Answered): Finding | undefined {
  const { status, body } = answer;
  const clear = (status === 503 || status === 507) && body['error'] !== undefined && !vague.test(JSON.stringify(body));
  return clear ? undefined : { kind: 'unclear', text: `${what} was refused: ${wordsOf(answer)}` };
}
