// The machine, the plugin host's life cycle: migrate, build, start, publish; and stop in reverse, also after a
// half-finished start.
import type { MigrationOutcome } from '#adapters/postgres/index';
import { Internal } from '#core/kernel/errors';
import type { Log } from '#core/kernel/log';
import { pluginConfiguration } from './check/configuration.ts';
import { contributionProblems } from './check/contribution-problems.ts';
import { contributed } from './check/contributions.ts';
import { isPart, kindOf } from './check/shape.ts';
import { container, type Container } from './container.ts';
import { runJobs, type RunningJobs } from './contributions/jobs.ts';
import { readiness, type Readiness } from './contributions/probes.ts';
import { mounted, type OwnedRoute } from './contributions/routes.ts';
import { within } from './deadline.ts';
import type { Instance } from './definition.ts';
import { Life } from './life.ts';
import { order } from './order.ts';
import { isCritical, needsOf, provision, type Plan, type Provision } from './plan.ts';
import { problemOf, Refused, type Problem } from './problem.ts';
import { migrationsOf, storesOf, type OpenStorage } from './storage.ts';

export interface BootOptions {
  /** Already checked: `check` found nothing. */
  readonly plan: Plan;
  readonly storage: OpenStorage;
  readonly instance: Instance;
  /** What the host provides itself, by port. `port` reads what plugins provide, at the time of the call. */
  readonly own: (
    parts: Pick<Container, 'port' | 'providers'> & { readonly lives: readonly Life[]; readonly log: Log },
  ) => {
    readonly [port: string]: unknown;
  };
  readonly logOf: (plugin: string) => Log;
  /** Milliseconds that one plugin's build or start, and one plugin's stop, may take. */
  readonly limits: { readonly start: number; readonly stop: number };
}

export class Machine {
  /** In the order of needs. */
  readonly lives: readonly Life[];
  readonly container: Container;
  readonly instance: Instance;
  readonly readiness: () => Promise<Readiness>;
  readonly #options: BootOptions;
  readonly #provision: Provision;
  readonly #log: Log;
  #phase: 'starting' | 'running' | 'stopping' | 'stopped' = 'starting';
  #jobs: RunningJobs | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: BootOptions) {
    const { plan, storage, own, logOf } = options;
    this.#options = options;
    this.instance = options.instance;
    this.#log = logOf('host');
    this.#provision = provision(plan.enabled, plan.providers);
    const listed = plan.enabled.map((definition) => new Life(definition));
    for (const life of listed) life.to('checked');
    const { sorted } = order(plan.enabled, this.#provision.dependenciesOf);
    if (sorted === undefined) throw new Error('a plan with a cycle was booted unchecked');
    this.lives = sorted.flatMap((definition) => listed.find((life) => life.definition === definition) ?? []);
    for (const life of this.lives) life.to('ordered');
    this.container = container({
      lives: this.lives,
      provision: this.#provision,
      own: own({
        lives: listed,
        port: (name) => this.container.port(name),
        providers: (name) => this.container.providers(name),
        log: this.#log,
      }),
      started: () => this.#phase !== 'starting',
    });
    this.readiness = readiness({ lives: this.lives, phase: () => this.#phase, checkDatabase: () => storage.check() });
  }

  /** @returns what became of each plugin's migrations. One whose were refused has failed. */
  async migrate(): Promise<readonly MigrationOutcome[]> {
    const { storage } = this.#options;
    const outcomes = storage.column === 'sql' ? await storage.migrate(this.#migrations()) : [];
    for (const { plugin, refused } of outcomes) {
      const life = refused === undefined ? undefined : this.lives.find(({ name }) => name === plugin);
      if (life !== undefined) await this.#fail(life, 'migrate', refused);
    }
    for (const life of this.lives) if (!life.lost) life.to('migrated');
    return outcomes;
  }

  /** What `migrate` would apply, and what it would refuse. */
  async pending(): Promise<readonly MigrationOutcome[]> {
    const { storage } = this.#options;
    return storage.column === 'sql' ? storage.pending(this.#migrations()) : [];
  }

  #migrations(): ReturnType<typeof migrationsOf> {
    return migrationsOf(
      this.lives.map(({ definition }) => definition),
      this.#provision.dependenciesOf,
    );
  }

  async build(): Promise<void> {
    for (const life of this.lives) await this.#step(life, 'migrated', 'build', () => this.#buildOne(life));
    await this.#refuseClashes();
  }

  /** A builder that does not go by its configuration alone may contribute other things now than it told. */
  async #refuseClashes(): Promise<void> {
    for (;;) {
      const made = this.#alive().flatMap(({ name, made }) =>
        made === undefined ? [] : [{ plugin: name, contributions: made }],
      );
      const [clash] = contributionProblems(this.#options.plan, made);
      const life = this.lives.find(({ name, usable }) => usable && name === clash?.plugin);
      if (clash === undefined || life === undefined) return;
      await this.#fail(life, 'build', new Internal(clash.message, { detail: clash.remedy }));
    }
  }

  /** Starts every plugin, then publishes: nothing is seen, delivered or repeated before all have started. */
  async start(): Promise<void> {
    for (const life of this.lives) {
      await this.#step(life, 'built', 'start', async () => {
        await life.definition.start?.(life.made?.parts as never, life.made?.context as never);
        if (life.state === 'built') life.to('started');
      });
    }
    this.#phase = 'running';
    const alive = this.#alive();
    await this.#options.storage.deliver(
      alive.flatMap(({ name, made }) => (made?.events ?? []).map((subscription) => ({ plugin: name, subscription }))),
    );
    const { storage } = this.#options;
    this.#jobs = runJobs(
      alive.flatMap(({ name, made }) => (made?.jobs ?? []).map((job) => ({ plugin: name, job }))),
      { locks: storage.locks, leads: () => storage.leads(), logOf: this.#options.logOf },
    );
  }

  /** Routes of the plugins that run, where they are served, in the order of the configuration. */
  get routes(): readonly OwnedRoute[] {
    const { plan } = this.#options;
    return plan.enabled.flatMap(({ name }) => {
      const life = this.#alive().find((candidate) => candidate.name === name);
      return (life?.made?.routes ?? []).map((route) => ({
        plugin: name,
        outside: plan.isOutside(name),
        route: mounted(name, route, plan.mountOf(name)),
      }));
    });
  }

  /** In reverse order, each step limited in time. Never rejects, and does it once however often it is asked. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#phase = 'stopping';
    await this.#jobs?.stop(this.#options.limits.stop);
    for (const life of this.#alive().toReversed()) {
      const hadStarted = life.state !== 'built';
      life.to('stopping');
      if (hadStarted) await this.#stopOne(life);
      life.to('stopped');
    }
    this.#phase = 'stopped';
  }

  async #buildOne(life: Life): Promise<void> {
    const { definition } = life;
    const { plan, storage, instance, logOf } = this.#options;
    const config = pluginConfiguration(definition, plan.configOf(definition.name)).value;
    const context = this.container.context(definition, {
      config,
      stores: storesOf(definition, storage),
      log: logOf(definition.name),
      instance,
    });
    const parts: unknown = await definition.build?.(context as never);
    if (parts !== undefined && !isPart(parts))
      throw new Internal(`its \`build\` made ${kindOf(parts)}`, { detail: 'Let it return an object of its parts' });
    const made = { ...contributed(definition, config, parts, context), parts, context };
    // A build that ended after its time has been given up.
    if (life.state !== 'migrated') return;
    life.made = made;
    this.container.provide(life);
    life.to('built');
  }

  async #step(
    life: Life,
    from: 'migrated' | 'built',
    verb: 'build' | 'start',
    work: () => Promise<void>,
  ): Promise<void> {
    if (life.state !== from) return;
    const began = performance.now();
    try {
      await within(this.#options.limits.start, 'it', work);
      this.#log.debug({ plugin: life.name, ms: Math.round(performance.now() - began) }, `plugin ${life.state}`);
    } catch (error) {
      await this.#fail(life, verb, error);
    }
  }

  async #fail(life: Life, verb: 'migrate' | 'build' | 'start', error: unknown): Promise<void> {
    const problem = problemOf(error, {
      code: `plugin_${verb}_failed`,
      plugin: life.name,
      message: `Plugin "${life.name}" did not ${verb}`,
      remedy: `Mend the cause, or disable the plugin with HEXFORGE_PLUGINS=-${life.name}`,
    });
    life.to('failed', problem.message);
    this.#log.debug({ plugin: life.name, err: error }, `plugin did not ${verb}`);
    if (verb === 'start') await this.#stopOne(life);
    const fatal = life.isolated ? this.#skipDependents(life) : problem;
    if (fatal === undefined) {
      this.#log.error(
        { plugin: life.name, reason: problem.message, remedy: problem.remedy },
        'plugin failed and is isolated',
      );
      return;
    }
    await this.stop();
    throw new Refused([fatal], error);
  }

  /** Skips all who need what it provides, and all who need those. @returns why the boot cannot go on, if it cannot. */
  #skipDependents(lost: Life): Problem | undefined {
    for (const life of this.lives) {
      if (life.lost || !this.#provision.dependenciesOf(life.definition).includes(lost.definition)) continue;
      const port =
        needsOf(life.definition).find((need) => this.#provision.providersOf(need).includes(lost.definition)) ?? '';
      const reason = `It needs ${port} of "${lost.name}", which ${lost.state === 'failed' ? 'failed' : 'was skipped'}`;
      if (isCritical(life.definition)) {
        return {
          code: 'critical_skipped',
          plugin: life.name,
          message: `Plugin "${life.name}" cannot run: it needs ${port} of "${lost.name}", which failed: ${lost.reason ?? ''}`,
          remedy: `Mend "${lost.name}", or disable both with HEXFORGE_PLUGINS=-${lost.name},-${life.name}`,
        };
      }
      life.to('skipped', reason);
      this.#log.error({ plugin: life.name, reason }, 'plugin skipped');
      const further = this.#skipDependents(life);
      if (further !== undefined) return further;
    }
    return undefined;
  }

  async #stopOne(life: Life): Promise<void> {
    try {
      await within(this.#options.limits.stop, 'it', async () =>
        life.definition.stop?.(life.made?.parts as never, life.made?.context as never),
      );
    } catch (error) {
      this.#log.error({ plugin: life.name, err: error }, 'plugin did not stop cleanly');
    }
  }

  #alive(): readonly Life[] {
    return this.lives.filter(({ usable }) => usable);
  }
}
