// One client of the churn (churn.ts, many clients on two servers): without pause it changes its own repositories, and
// some that it shares with the other clients of its user.
import { Doors, idOf, type Answered, type DoorsOptions } from './churn-doors.ts';

export interface ChurnClientOptions extends DoorsOptions {
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/** A repository that only this client changes. */
interface Own {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly main: string | undefined;
}

const ownNames = 8;
const ownAtMost = 5;
const sharedNames = 5;
const main = 'refs/heads/main';
const bulkBytes = 1_500_000;

export class ChurnClient {
  readonly #o: ChurnClientOptions;
  readonly #doors: Doors;
  readonly #own = new Map<string, Own>();
  /** The last commits known to this client, by repository and ref. */
  readonly #known = new Map<string, string>();
  #texts = 0;
  #until = 0;

  /** The operations, each with its relative frequency. */
  readonly #operations: readonly (readonly [number, () => Promise<void>])[] = [
    [6, () => this.#createOwn()],
    [5, () => this.#withOwn((own) => this.#renameOwn(own))],
    [5, () => this.#withOwn((own) => this.#describeOwn(own))],
    [5, () => this.#withOwn((own) => this.#pushOwn(own))],
    [3, () => this.#withOwn((own) => this.#deleteOwn(own))],
    [3, () => this.#withOwn((own) => this.#gitWhile(own, 'deleted'))],
    [3, () => this.#withOwn((own) => this.#gitWhile(own, 'renamed'))],
    [2, () => this.#createTwice()],
    [2, () => this.#renameBoth()],
    [2, () => this.#withOwn((own) => this.#changeTwice(own))],
    [2, () => this.#withOwn((own) => this.#pushTwice(own))],
    [2, () => this.#withOwn((own) => this.#deleteTwice(own))],
    [6, () => this.#createShared()],
    [5, () => this.#renameShared()],
    [5, () => this.#describeShared()],
    [3, () => this.#deleteShared()],
    [10, () => this.#pushShared()],
    [4, () => this.#writeShared()],
    [2, () => this.#aimShared()],
    [5, () => this.#cloneShared()],
    [10, () => this.#readShared()],
    [6, () => this.#list()],
  ];

  constructor(options: ChurnClientOptions) {
    this.#o = options;
    this.#doors = new Doors(options);
  }

  async run(until: number): Promise<void> {
    this.#until = until;
    const total = this.#operations.reduce((sum, [weight]) => sum + weight, 0);
    while (Date.now() < until) {
      let at = this.#o.random() * total;
      const [, operation] = this.#operations.find(([weight]) => (at -= weight) < 0) ?? [];
      try {
        await operation?.();
      } catch (error) {
        this.#doors.fault(error instanceof Error ? error.message : String(error));
      }
    }
  }

  // Changes of repositories that only this client changes: the other server must return the new state at once.

  async #createOwn(): Promise<void> {
    const name = this.#freeName();
    if (name === undefined || this.#own.size >= ownAtMost) return this.#withOwn((own) => this.#deleteOwn(own));
    const answer = await this.#doors.send(
      'create',
      'POST',
      '/repos',
      { name, description: this.#text(), visibility: 'public' },
      [201],
    );
    if (answer.status !== 201) return;
    const own = this.#created(name, answer);
    await this.#expect(own);
    if (this.#o.random() < 0.7) await this.#pushOwn(own);
  }

  async #renameOwn(own: Own): Promise<void> {
    const name = this.#freeName();
    if (name === undefined) return;
    const answer = await this.#doors.send('rename', 'PATCH', `/repos/${this.#doors.path(own.name)}`, { name }, [200]);
    if (answer.status !== 200) return;
    const after = this.#renamed(own, name, answer);
    await this.#expect(after);
    await this.#doors.expectAbsence(own.name);
  }

  async #describeOwn(own: Own): Promise<void> {
    const description = this.#text();
    const answer = await this.#doors.send(
      'describe',
      'PATCH',
      `/repos/${this.#doors.path(own.name)}`,
      { description },
      [200],
    );
    if (answer.status !== 200) return;
    this.#o.ledger.described(own.id, description, answer.span);
    this.#own.set(own.name, { ...own, description });
    await this.#expect({ ...own, description });
  }

  async #pushOwn(own: Own): Promise<void> {
    const oid = await this.#o.git.commit(own.id, own.main === undefined ? [] : [own.main]);
    const outcome = await this.#doors.push(own.name, oid, main);
    if (outcome !== 'done')
      return this.#doors.fault(`a push to ${this.#doors.path(own.name)}, which nobody else changes, was ${outcome}`);
    this.#own.set(own.name, { ...own, main: oid });
    const { refs } = await this.#o.git.refs(this.#doors.remote(own.name, 1));
    if (refs.get(main) !== oid)
      this.#doors.fault(
        `${this.#doors.path(own.name)} is at ${refs.get(main)} where the other server looks, and was pushed to ${oid}`,
      );
  }

  async #deleteOwn(own: Own): Promise<void> {
    this.#own.delete(own.name);
    const answer = await this.#doors.delete(own.name, 0, [204]);
    if (answer.status === 204) await this.#doors.expectAbsence(own.name);
  }

  /**
   * Runs git on a repository that is deleted or renamed meanwhile, through either server: git succeeds, or reports that
   * the repository does not exist.
   */
  async #gitWhile(own: Own, change: 'deleted' | 'renamed'): Promise<void> {
    const { git, random } = this.#o;
    const name = this.#freeName();
    if (name === undefined) return;
    if (change === 'deleted') this.#own.delete(own.name);
    const cloning = own.main !== undefined && random() < 0.4;
    const oid = cloning ? undefined : await git.commit(own.id, own.main === undefined ? [] : [own.main], bulkBytes);
    const server = Math.floor(random() * 2);
    const pause = new Promise((resolve) => setTimeout(resolve, random() * 800));
    const [outcome] = await Promise.all([
      oid === undefined ? this.#doors.clone(own.name) : this.#doors.push(own.name, oid, main),
      pause.then(async () => {
        if (change === 'deleted') return void (await this.#doors.delete(own.name, server, [204]));
        const answer = await this.#doors.send(
          'rename',
          'PATCH',
          `/repos/${this.#doors.path(own.name)}`,
          { name },
          [200],
          server,
        );
        if (answer.status === 200) this.#renamed(own, name, answer);
      }),
    ]);
    this.#o.tally.count(`${cloning ? 'clone' : 'push'} while ${change}: ${outcome}`);
    const after = this.#own.get(name);
    if (after !== undefined && oid !== undefined && outcome === 'done') this.#own.set(name, { ...after, main: oid });
    await this.#doors.expectAbsence(own.name);
    if (after !== undefined) await this.#expect(after);
  }

  // Changes by the same request to both servers at once: exactly one succeeds.

  async #createTwice(): Promise<void> {
    const name = this.#freeName();
    if (name === undefined || this.#own.size >= ownAtMost) return;
    const answers = await Promise.all(
      [0, 1].map((server) =>
        this.#doors.send(
          'create',
          'POST',
          '/repos',
          { name, description: this.#text(), visibility: 'public' },
          [201, 409],
          server,
        ),
      ),
    );
    const won = answers.filter(({ status }) => status === 201);
    for (const answer of won) this.#created(name, answer);
    this.#doors.contest('create', answers, [201, 409]);
    this.#doors.clash('create', name, answers, 'conflict');
  }

  async #renameBoth(): Promise<void> {
    const [one, other] = this.#own.values();
    const name = this.#freeName();
    if (one === undefined || other === undefined || name === undefined) return;
    const both = [one, other];
    const answers = await Promise.all(
      both.map((own, server) =>
        this.#doors.send('rename', 'PATCH', `/repos/${this.#doors.path(own.name)}`, { name }, [200, 409], server),
      ),
    );
    for (const [index, own] of both.entries()) {
      const answer = answers[index];
      if (answer?.status === 200) this.#renamed(own, name, answer);
    }
    this.#doors.contest('rename', answers, [200, 409]);
    this.#doors.clash('rename', name, answers, 'name_in_use');
    const winner = this.#own.get(name);
    const loser = answers.find(({ status }) => status === 409);
    if (winner !== undefined && loser !== undefined && loser.body['existing_repo_id'] !== winner.id)
      this.#doors.fault(
        `a rename to ${this.#doors.path(name)} was refused for ${String(loser.body['existing_repo_id'])}, and ${winner.id} has the name`,
      );
    for (const own of both) await this.#expect(this.#own.get(own.name) ?? this.#own.get(name) ?? own);
  }

  /** Changes two members concurrently: neither may overwrite the other. */
  async #changeTwice(own: Own): Promise<void> {
    const description = this.#text();
    const name = this.#freeName();
    if (name === undefined) return;
    const path = `/repos/${this.#doors.path(own.name)}`;
    const [described, renamed] = await Promise.all([
      this.#doors.send('describe', 'PATCH', path, { description }, [200, 404]),
      this.#doors.send('rename', 'PATCH', path, { name }, [200], 1),
    ]);
    if (described.status === 200) this.#o.ledger.described(own.id, description, described.span);
    if (renamed.status !== 200) return;
    const after = { ...this.#renamed(own, name, renamed), ...(described.status === 200 && { description }) };
    this.#own.set(name, after);
    await this.#expect(after);
  }

  async #deleteTwice(own: Own): Promise<void> {
    this.#own.delete(own.name);
    this.#doors.contest(
      'delete',
      await Promise.all([0, 1].map((server) => this.#doors.delete(own.name, server, [204, 404]))),
      [204, 404],
    );
    await this.#doors.expectAbsence(own.name);
  }

  /** Pushes two commits on one base: one is accepted; the other is rejected, merged, and then accepted too. */
  async #pushTwice(own: Own): Promise<void> {
    const { git, tally } = this.#o;
    const base = own.main === undefined ? [] : [own.main];
    const commits = [await git.commit(own.id, base), await git.commit(own.id, base)];
    const outcomes = await Promise.all(commits.map((oid, server) => this.#doors.push(own.name, oid, main, server)));
    const landed = commits.filter((_, index) => outcomes[index] === 'done');
    const refused = commits.filter((_, index) => outcomes[index] === 'rejected');
    const [winner] = landed;
    const [loser] = refused;
    if (winner === undefined || loser === undefined || landed.length !== 1)
      return this.#doors.fault(
        `of two pushes to ${this.#doors.path(own.name)} at once, the outcomes were ${outcomes.join(' and ')}`,
      );
    this.#own.set(own.name, { ...own, main: winner });
    const { oid: there } = await git.fetch(this.#doors.remote(own.name, 0), 'main');
    if (there !== winner)
      return this.#doors.fault(`${this.#doors.path(own.name)} is at ${there}, and ${winner} won the race`);
    const merged = await git.commit(own.id, [loser, winner]);
    if ((await this.#doors.push(own.name, merged, main)) !== 'done')
      return this.#doors.fault(`the loser of a race for ${this.#doors.path(own.name)} could not push its merge`);
    this.#own.set(own.name, { ...own, main: merged });
    tally.count('races for a ref');
  }

  // Changes by several clients: every answer is recorded in the ledger, which checks afterwards whether the answers are
  // consistent.

  async #createShared(): Promise<void> {
    const name = this.#sharedName();
    const description = this.#text();
    const answer = await this.#doors.send(
      'create',
      'POST',
      '/repos',
      { name, description, visibility: 'public' },
      [201, 409],
    );
    if (answer.status === 201) this.#o.ledger.created(idOf(answer), this.#doors.path(name), description, answer.span);
    this.#doors.clash('create', name, [answer], 'conflict');
  }

  async #renameShared(): Promise<void> {
    const from = this.#sharedName();
    const name = this.#sharedName();
    const answer = await this.#doors.send(
      'rename',
      'PATCH',
      `/repos/${this.#doors.path(from)}`,
      { name },
      [200, 404, 409],
    );
    if (answer.status === 200) this.#o.ledger.renamed(idOf(answer), this.#doors.path(name), answer.span);
    if (answer.status === 200 && answer.body['name'] !== name)
      this.#doors.fault(`a rename to ${name} answered with "${String(answer.body['name'])}"`);
    this.#doors.clash('rename', name, [answer], 'name_in_use');
    this.#doors.missed('rename', from, answer);
  }

  async #describeShared(): Promise<void> {
    const name = this.#sharedName();
    const description = this.#text();
    const answer = await this.#doors.send(
      'describe',
      'PATCH',
      `/repos/${this.#doors.path(name)}`,
      { description },
      [200, 404],
    );
    this.#doors.missed('describe', name, answer);
    if (answer.status !== 200) return;
    this.#doors.saw('describe', name, answer);
    this.#o.ledger.described(idOf(answer), description, answer.span);
    if (answer.body['description'] !== description)
      this.#doors.fault(`describing ${name} as "${description}" answered with "${String(answer.body['description'])}"`);
  }

  async #deleteShared(): Promise<void> {
    const name = this.#sharedName();
    this.#doors.missed('delete', name, await this.#doors.delete(name, 0, [204, 404]));
  }

  /**
   * Pushes to `main`, which all clients push to, or to a branch of this client; the loser of a race merges and retries.
   */
  async #pushShared(): Promise<void> {
    const { git, index, random, tally } = this.#o;
    const name = this.#sharedName();
    const id = await this.#idOf(name);
    if (id === undefined) return;
    const branch = random() < 0.65 ? 'main' : `by-${index}`;
    const key = `${id} ${branch}`;
    let mine: string[] = [this.#known.get(key) ?? (await this.#doors.fetch(name, branch))].filter(
      (oid) => oid !== undefined,
    );
    for (let attempt = 0; attempt < 4 && Date.now() < this.#until; attempt++) {
      const oid = await git.commit(id, mine);
      const outcome = await this.#doors.push(name, oid, `refs/heads/${branch}`);
      if (outcome === 'done') this.#known.set(key, oid);
      if (outcome === 'done' && attempt > 0) tally.count('pushed after a lost race');
      if (outcome !== 'rejected') return;
      const theirs = await this.#doors.fetch(name, branch);
      mine = theirs === undefined ? [] : [oid, theirs];
    }
    this.#known.delete(key);
  }

  /** Writes a file of this client over the API. */
  async #writeShared(): Promise<void> {
    const name = this.#sharedName();
    const content = Buffer.from(this.#text()).toString('base64');
    const answer = await this.#doors.send(
      'write',
      'PUT',
      `/repos/${this.#doors.path(name)}/contents/written/${this.#o.index}-${this.#texts}`,
      { message: 'written', content, branch: 'main' },
      [201, 404, 409],
    );
    if (answer.status === 201)
      this.#o.ledger.pushed({
        path: this.#doors.path(name),
        span: answer.span,
        ref: main,
        oid: String((answer.body['commit'] as { sha: unknown }).sha),
      });
  }

  /** Changes the default branch. */
  async #aimShared(): Promise<void> {
    const name = this.#sharedName();
    const answer = await this.#doors.send(
      'set default branch',
      'PATCH',
      `/repos/${this.#doors.path(name)}`,
      { default_branch: this.#o.random() < 0.5 ? 'main' : `by-${this.#o.index}` },
      [200, 400, 404],
    );
    if (answer.status === 200) this.#doors.saw('set default branch', name, answer);
    this.#doors.missed('set default branch', name, answer);
  }

  async #cloneShared(): Promise<void> {
    const [own] = this.#own.keys();
    await this.#doors.clone(own === undefined || this.#o.random() < 0.7 ? this.#sharedName() : own);
  }

  async #readShared(): Promise<void> {
    const name = this.#sharedName();
    const path = `/repos/${this.#doors.path(name)}`;
    const [what, tail, judged] = this.#one([
      ['read', '', true],
      ['read', '', true],
      ['list branches', '/branches?include_divergence=true&sort=last_commit_at', true],
      ['list folder', '/contents/', false],
      ['read file', '/contents/identity?ref=main', false],
      ['list commits', '/commits', false],
      ['read blame', '/blame/main/identity', false],
      ['list languages', '/languages', false],
    ] as const);
    const answer = await this.#doors.send(
      what,
      'GET',
      `${path}${tail}`,
      undefined,
      [200, 404],
      Math.floor(this.#o.random() * 2),
    );
    if (judged) this.#doors.missed(what, name, answer);
    if (answer.status !== 200) return;
    if (tail === '') this.#doors.saw(what, name, answer);
    if (what === 'read file')
      this.#o.ledger.viewed({
        what,
        path: this.#doors.path(name),
        span: answer.span,
        refs: undefined,
        identity: Buffer.from(String(answer.body['content']), 'base64').toString().trim(),
      });
  }

  async #list(): Promise<void> {
    const { user, ledger } = this.#o;
    const query = this.#one(['mine=true', `owner=${user}`, '']);
    const answer = await this.#doors.send(
      'list',
      'GET',
      `/repos?${query}`,
      undefined,
      [200],
      Math.floor(this.#o.random() * 2),
    );
    if (answer.status !== 200) return;
    const items = (answer.body as unknown as { id: string; owner: string; name: string }[]).map(
      ({ id, owner, name }) => ({ id, path: `${owner}/${name}` }),
    );
    // Without a filter the list has at most 50 repositories, so it may be incomplete.
    if (query !== '') ledger.listed({ what: `list ${query}`, path: user, owner: user, span: answer.span, items });
    else for (const { id, path } of items) ledger.saw({ what: 'list', path, id, span: answer.span });
  }

  async #idOf(name: string): Promise<string | undefined> {
    const answer = await this.#doors.send('read', 'GET', `/repos/${this.#doors.path(name)}`, undefined, [200, 404]);
    this.#doors.missed('read', name, answer);
    if (answer.status !== 200) return undefined;
    this.#doors.saw('read', name, answer);
    return idOf(answer);
  }

  #created(name: string, answer: Answered): Own {
    const own = { id: idOf(answer), name, description: String(answer.body['description']), main: undefined };
    this.#o.ledger.created(own.id, this.#doors.path(name), own.description, answer.span);
    this.#own.set(name, own);
    return own;
  }

  #renamed(own: Own, name: string, answer: Answered): Own {
    if (idOf(answer) !== own.id || answer.body['name'] !== name)
      this.#doors.fault(
        `renaming ${this.#doors.path(own.name)} (${own.id}) to ${name} answered with ${String(answer.body['name'])} (${idOf(answer)})`,
      );
    this.#o.ledger.renamed(own.id, this.#doors.path(name), answer.span);
    const after = { ...own, name };
    this.#own.delete(own.name);
    this.#own.set(name, after);
    return after;
  }

  /** Reads through the other server. */
  async #expect({ id, name, description }: Own): Promise<void> {
    const answer = await this.#doors.send('read', 'GET', `/repos/${this.#doors.path(name)}`, undefined, [200], 1);
    if (answer.status !== 200) return;
    this.#doors.saw('read', name, answer);
    if (idOf(answer) !== id || answer.body['description'] !== description)
      this.#doors.fault(
        `${this.#doors.path(name)} reads as ${idOf(answer)} "${String(answer.body['description'])}", and is ${id} "${description}"`,
      );
  }

  async #withOwn(work: (own: Own) => Promise<void>): Promise<void> {
    const own = [...this.#own.values()];
    if (own.length > 0) await work(this.#one(own));
    else await this.#createOwn();
  }

  #freeName(): string | undefined {
    const names = Array.from({ length: ownNames }, (_, number) => `own-${this.#o.index}-${number}`).filter(
      (name) => !this.#own.has(name),
    );
    return names.length === 0 ? undefined : this.#one(names);
  }

  #sharedName(): string {
    return `shared-${Math.floor(this.#o.random() * sharedNames)}`;
  }

  #one<T>(all: readonly T[]): T {
    return all[Math.floor(this.#o.random() * all.length)] as T;
  }

  #text(): string {
    return `text ${this.#o.index}-${++this.#texts}`;
  }
}
