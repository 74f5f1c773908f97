// Requests of a client of the churn (churn.ts) to the two servers, over the API and with git: counted, checked at once
// if possible, and recorded in the ledger, which compares them afterwards.
import type { ChurnGit, Outcome } from './churn-git.ts';
import type { Ledger, Path, Span } from './ledger.ts';
import { call } from './traffic.ts';

export interface DoorsOptions {
  readonly index: number;
  /** The server that the client uses, and the other one. */
  readonly urls: readonly [string, string];
  readonly user: string;
  readonly token: string;
  readonly git: ChurnGit;
  readonly ledger: Ledger;
  readonly tally: Tally;
}

/** Counts of operations, and the faults found. */
export class Tally {
  readonly done: Record<string, number> = {};
  readonly refused: Record<string, number> = {};
  readonly faults: string[] = [];

  count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  refuse(what: string): void {
    this.refused[what] = (this.refused[what] ?? 0) + 1;
  }
}

export interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly span: Span;
}

export class Doors {
  readonly #o: DoorsOptions;

  constructor(options: DoorsOptions) {
    this.#o = options;
  }

  async send(
    what: string,
    method: string,
    path: string,
    body: unknown,
    allowed: readonly number[],
    server = 0,
  ): Promise<Answered> {
    const { urls, token, tally } = this.#o;
    const from = Date.now();
    const { status, body: answered } = await call(urls[server === 0 ? 0 : 1], method, `/api/v1${path}`, token, body);
    const span = { from, to: Date.now() };
    if (status < 300) tally.count(what);
    else tally.refuse(`${what}: ${status}`);
    if (!allowed.includes(status))
      this.fault(`${what}, ${method} ${path}, answered ${status} ${JSON.stringify(answered)}`);
    return { status, body: (answered ?? {}) as Record<string, unknown>, span };
  }

  async delete(name: string, server: number, allowed: readonly number[]): Promise<Answered> {
    const answer = await this.send(
      'delete',
      'DELETE',
      `/repos/${this.path(name)}`,
      { confirmation: this.path(name) },
      allowed,
      server,
    );
    if (answer.status === 204) this.#o.ledger.deleted(this.path(name), answer.span);
    return answer;
  }

  async fetch(name: string, branch: string): Promise<string | undefined> {
    const from = Date.now();
    const { outcome, oid, stderr } = await this.#o.git.fetch(this.remote(name, 0), branch);
    this.judgeGit('fetch', name, outcome, { from, to: Date.now() }, stderr);
    return oid;
  }

  async push(name: string, oid: string, ref: string, server = 0): Promise<Outcome> {
    const from = Date.now();
    const { outcome, stderr } = await this.#o.git.push(this.remote(name, server), oid, ref);
    const span = { from, to: Date.now() };
    if (outcome === 'done') this.#o.ledger.pushed({ path: this.path(name), span, ref, oid });
    this.judgeGit('push', name, outcome, span, stderr);
    return outcome;
  }

  async clone(name: string): Promise<Outcome> {
    const from = Date.now();
    const { outcome, cloned, stderr } = await this.#o.git.clone(this.remote(name, 0));
    const span = { from, to: Date.now() };
    if (cloned !== undefined)
      this.#o.ledger.viewed({
        what: 'clone',
        path: this.path(name),
        span,
        refs: cloned.refs,
        identity: cloned.identity,
      });
    this.judgeGit('clone', name, outcome, span, stderr);
    return outcome;
  }

  judgeGit(what: string, name: string, outcome: Outcome, span: Span, stderr: string): void {
    const { tally, ledger } = this.#o;
    if (outcome === 'done') return tally.count(what);
    tally.refuse(`${what}: ${outcome}`);
    if (outcome === 'absent') ledger.missed({ what, path: this.path(name), span });
    // A clone or fetch may be cut off only if its repository is deleted; a push is always answered completely.
    if (outcome === 'cut off' && what !== 'push') ledger.cutOff({ what, path: this.path(name), span });
    else if (outcome === 'broken' || outcome === 'cut off')
      this.fault(`${what} of ${this.path(name)}: ${stderr.trim()}`);
  }

  /** Reads through the other server. */
  async expectAbsence(name: string): Promise<void> {
    await this.send('read', 'GET', `/repos/${this.path(name)}`, undefined, [404], 1);
  }

  saw(what: string, name: string, answer: Answered): void {
    this.#o.ledger.saw({ what, path: this.path(name), id: idOf(answer), span: answer.span });
  }

  missed(what: string, name: string, answer: Answered): void {
    if (answer.status === 404) this.#o.ledger.missed({ what, path: this.path(name), span: answer.span });
  }

  clash(what: string, name: string, answers: readonly Answered[], code: 'conflict' | 'name_in_use'): void {
    for (const { status, body, span } of answers) {
      if (status !== 409) continue;
      const existing = body['existing_repo_id'];
      this.#o.ledger.clashed({
        what,
        path: this.path(name),
        span,
        existing: typeof existing === 'string' ? existing : undefined,
      });
      if ((code === 'conflict' ? body['error_code'] : body['error']) !== code)
        this.fault(`${what} of ${this.path(name)} was refused as ${JSON.stringify(body)}, not as ${code}`);
    }
  }

  contest(what: string, answers: readonly Answered[], wanted: readonly number[]): void {
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    if (statuses.join() === wanted.join()) this.#o.tally.count(`contested ${what}`);
    else this.fault(`a ${what} asked of both servers at once answered ${statuses.join(' and ')}`);
  }

  path(name: string): Path {
    return `${this.#o.user}/${name}`;
  }

  remote(name: string, server: number): string {
    const { urls, user, token } = this.#o;
    return `${urls[server === 0 ? 0 : 1].replace('://', `://${user}:${token}@`)}/${this.path(name)}.git`;
  }

  fault(sentence: string): void {
    this.#o.tally.faults.push(`client ${this.#o.index}: ${sentence}`);
  }
}

export const idOf = ({ body }: Answered): string => String(body['id']);
