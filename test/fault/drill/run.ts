// Runs one scenario: rounds of clients with a disturbance, each followed by a verification.
import type { Cluster } from '../../../tools/peers/postgres-cluster.ts';
import { inspect } from '../inspection.ts';
import { Availability } from './load/availability.ts';
import { patienceMs, Unhealed } from './load/client.ts';
import { Figures } from './load/figures.ts';
import { Forge, type Engine } from './forge.ts';
import { populate, type Population } from './load/population.ts';
import { absent } from './register.ts';
import { pause, type Round, type Scenario } from './scenario.ts';
import { headFindings, recordFindings, verify } from './verification.ts';
import { randomFrom, type Random, type Worker } from './load/workers.ts';

export interface RunOptions {
  readonly engine: Engine;
  readonly rounds: number;
  readonly seed: number;
  readonly cluster: Cluster | undefined;
  /** Prints one line about each round. */
  readonly say?: (line: string) => void;
}

export interface Outcome {
  readonly figures: Figures;
  readonly notes: Readonly<Record<string, number>>;
  readonly longestUnavailableMs: number;
  readonly longestHealingMs: number;
  readonly seconds: number;
}

/** Milliseconds after the disturbance within which everything must work again. */
const healMs = 30_000;
/** Milliseconds within which open intents must be concluded. */
const settleMs = 75_000;

let current: Run | undefined;

/** Ends the current run, and removes its files and mounts. */
export const abandon = async (): Promise<void> => current?.remove();

export async function run(scenario: Scenario, options: RunOptions): Promise<Outcome> {
  const from = performance.now();
  const one = new Run(scenario, options);
  current = one;
  try {
    if (scenario.first === true)
      for (let round = 1; round <= options.rounds; round += 1) {
        await one.open();
        await one.disturbFirst(round);
        await one.close();
      }
    else {
      await one.open();
      await one.begin();
      for (let round = 1; round <= options.rounds; round += 1) await one.round(round);
      await one.close();
    }
    one.judge();
  } finally {
    await one.remove();
  }
  return { ...one.outcome, seconds: (performance.now() - from) / 1000 };
}

class Run {
  readonly #scenario: Scenario;
  readonly #options: RunOptions;
  readonly #random: Random;
  readonly #notes: Record<string, number> = {};
  readonly #figures = new Figures();
  readonly #availability = new Availability();
  /** Index of the intended server → index of the server that is used instead. */
  #redirected: number[] = [];
  #forge: Forge | undefined;
  #population: Population | undefined;
  #longestHealing = 0;

  constructor(scenario: Scenario, options: RunOptions) {
    this.#scenario = scenario;
    this.#options = options;
    this.#random = randomFrom(options.seed);
  }

  get outcome(): Omit<Outcome, 'seconds'> {
    return {
      figures: this.#figures,
      notes: this.#notes,
      longestUnavailableMs: this.#availability.longest,
      longestHealingMs: this.#longestHealing,
    };
  }

  async open(): Promise<void> {
    const { engine } = this.#options;
    this.#figures.forget();
    this.#redirected = [];
    this.#population = undefined;
    this.#forge = await Forge.create({ ...this.#scenario.forge, engine });
  }

  async begin(): Promise<void> {
    await this.#open.startAll();
    await this.#populate();
  }

  async round(number: number): Promise<void> {
    const round = this.#round();
    const before = this.#figures.findings.length;
    await this.#work(async () => {
      await pause(100);
      await this.#scenario.disturb(round);
    });
    await this.#scenario.restore?.(round);
    await this.#look();
    this.#tell(number, before);
  }

  async disturbFirst(number: number): Promise<void> {
    const round = this.#round();
    const before = this.#figures.findings.length;
    await this.#scenario.disturb(round);
    await this.#scenario.restore?.(round);
    await this.#populate();
    await this.#work(() => pause(500));
    if (this.#scenario.calm === true) {
      const { disturbed, latest } = this.#figures;
      if (disturbed > 0)
        this.#figures.find({
          kind: 'untrue',
          text: `nothing was in the way, and was refused or not answered: ${latest}`,
        });
    }
    await this.#look();
    this.#tell(number, before);
  }

  /** Stops the servers and checks what they leave. */
  async close(): Promise<void> {
    const forge = this.#open;
    const { estates } = this.#people;
    // The leftovers of a killed server are removed by its next start.
    for (const [index, { running }] of forge.servers.entries()) if (!running) await forge.start(index);
    let { intents } = await forge.records();
    for (const until = Date.now() + settleMs; intents.length > 0 && Date.now() < until;) {
      await pause(5000);
      ({ intents } = await forge.records());
    }
    this.#figures.find(...(await verify(this.#people)), ...(await this.#recordFindings()));
    this.#figures.find(...(await forge.stop()));
    const repositories = estates.flatMap(({ homeId, spares }) => [
      homeId,
      ...[...spares.values()].flatMap(({ certain = absent }) => (certain === absent ? [] : [certain])),
    ]);
    const { dataDir, databaseUrl } = forge;
    this.#figures.find(...(await headFindings(dataDir, estates)));
    const left = await inspect({ dataDir, databaseUrl, repositories, pushes: [] });
    this.#figures.find(...left.map((text) => ({ kind: 'left', text }) as const));
    await this.remove();
  }

  judge(): void {
    const { disturbed, late } = this.#figures;
    if (this.#scenario.refuses !== true) return;
    if (disturbed === 0)
      this.#figures.find({ kind: 'untrue', text: 'nobody was refused anything: the run proves too little' });
    if (late > 0)
      this.#figures.find({
        kind: 'unclear',
        text: `${late} requests were neither done nor refused in ${patienceMs} ms`,
      });
  }

  async remove(): Promise<void> {
    const forge = this.#forge;
    this.#forge = undefined;
    if (forge === undefined) return;
    await this.#availability.stop();
    for (const worker of this.#population?.workers ?? []) await worker.stop();
    await forge.quit();
    await this.#scenario.end?.(forge);
    await forge.remove();
  }

  get #open(): Forge {
    if (this.#forge === undefined) throw new Error('no forge is open');
    return this.#forge;
  }

  get #people(): Population {
    if (this.#population === undefined) throw new Error('nobody is there yet');
    return this.#population;
  }

  #round(): Round {
    return {
      forge: this.#open,
      figures: this.#figures,
      random: this.#random,
      cluster: this.#options.cluster,
      estates: this.#population?.estates ?? [],
      note: (what) => {
        this.#notes[what] = (this.#notes[what] ?? 0) + 1;
      },
      aside: async (work) => {
        this.#availability.resting = true;
        await work().finally(() => {
          this.#availability.resting = false;
        });
      },
      redirect: (from, to) => {
        this.#redirected[from] = to;
      },
    };
  }

  async #populate(): Promise<void> {
    const { root, urls } = this.#open;
    const url = (number: number): string => {
      const meant = number % urls.length;
      return urls[this.#redirected[meant] ?? meant] ?? '';
    };
    this.#population = await populate({
      root,
      url,
      figures: this.#figures,
      seed: Math.floor(this.#random() * 2 ** 32),
    });
    const [{ client } = { client: undefined }] = this.#population.estates;
    if (client !== undefined) this.#availability.watch(client);
  }

  async #work(meanwhile: () => Promise<void>): Promise<void> {
    const { workers } = this.#people;
    for (const worker of workers) worker.start();
    try {
      await meanwhile();
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  }

  /** Compares the state with the answers, does every operation once more, and compares the records. */
  async #look(): Promise<void> {
    const from = performance.now();
    await this.#healed(() => this.#lookOnce());
    await this.#healed(() => this.#everything());
    this.#longestHealing = Math.max(this.#longestHealing, performance.now() - from);
    this.#figures.find(...(await this.#open.leavings()));
  }

  #tell(number: number, before: number): void {
    const fresh = this.#figures.findings.slice(before).map(({ kind, text }) => `\n  ${kind}: ${text}`);
    this.#options.say?.(`${this.#scenario.name} round ${number}: ${fresh.length === 0 ? 'good' : fresh.join('')}`);
  }

  async #lookOnce(): Promise<void> {
    this.#figures.find(...(await this.#open.leavings()).filter(({ text }) => text.startsWith('a process')));
    this.#figures.find(...(await verify(this.#people)));
    this.#figures.find(...(await this.#recordFindings()));
  }

  async #recordFindings() {
    return recordFindings(await this.#open.records(), this.#figures.promised, this.#people.estates);
  }

  /**
   * Runs `work`. If requests still fail, reports that, restarts the servers and runs it again, to find lost changes.
   */
  async #healed(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Unhealed)) throw error;
      this.#figures.find({
        kind: 'unhealed',
        text: `${error.message}\n${this.#open.servers[0]?.log.slice(-800) ?? ''}`,
      });
      for (const [index] of this.#open.servers.entries()) await this.#open.killTree(index);
      await this.#open.startAll();
      await work();
    }
  }

  /** @throws {Unhealed} */
  async #everything(): Promise<void> {
    await Promise.all(this.#people.workers.map((worker) => this.#everythingOf(worker)));
  }

  async #everythingOf(worker: Worker): Promise<void> {
    for (const step of worker.everything)
      for (const until = Date.now() + healMs; !(await step());) {
        if (Date.now() > until) throw new Unhealed(`after ${healMs} ms still refused: ${this.#figures.latest}`);
        await pause(100);
      }
  }
}
