// Runs the life cycle of the plugin host: migrate, build, start, publish; then stop in reverse, also after a partial
// start.
import type { MigrationOutcome } from '#adapters/postgres/index';
import { Internal } from '#core/kernel/errors';
import { LiveFeed } from '#core/kernel/storage/live';
import type { Log } from '#core/kernel/services/log';
import { Attribution } from '../watch/attribution.ts';
import { pluginConfiguration } from '../check/configuration.ts';
import { contributionProblems } from '../check/contribution-problems.ts';
import { contributed } from '../check/contributions.ts';
import { isPart, kindOf } from '../problems/values.ts';
import { container, type Container, type PortReader } from './container.ts';
import type { OwnedChannel } from '#adapters/http/live/channel';
import { channelSubscriptions } from '../contributions/channels.ts';
import { limited } from '../contributions/events.ts';
import { indexSubscriptions } from '../contributions/indexing.ts';
import { runJobs, type RunningJobs } from '../contributions/jobs.ts';
import type { Readiness } from '#adapters/http/routes/system-routes';
import { readiness } from '../contributions/probes.ts';
import type { AccessDecision } from '#core/kernel/access/access';
import { servedChannels, servedPages, servedRoutes, type OwnedRoute } from '../contributions/mounting.ts';
import { within } from '../problems/deadline.ts';
import type { Instance } from '../plugin/definition.ts';
import { Life } from '../plugin/life.ts';
import { defaultLimits, type Limits } from '../configuration/limits.ts';
import { order } from '../plugin/order.ts';
import { isCritical, needsOf, provision, traitsOf, type Plan, type Provision } from '../plugin/plan.ts';
import { problemOf, Refused, stopped, type Problem } from '../problems/problem.ts';
import { parkedCounts } from '../storage/dead-letters.ts';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import { migrationsOf, storesOf, type OpenStorage } from '../storage/storage.ts';
import { UncaughtErrors, type UncaughtError } from '../watch/uncaught-errors.ts';

export interface BootOptions {
  /** The plan, in which `check` found no problems. */
  readonly plan: Plan;
  readonly storage: OpenStorage;
  readonly instance: Instance;
  /** Makes the values of the host's own ports, by port. */
  readonly own: (parts: PortReader & { readonly lives: readonly Life[]; readonly log: Log }) => {
    readonly [port: string]: unknown;
  };
  readonly logOf: (plugin: string) => Log;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits>;
  /** Identifies external plugins. Default: there are no external plugins. */
  readonly attribution?: Attribution;
}

export class Machine {
  /** In the order of dependencies. */
  readonly lives: readonly Life[];
  readonly container: Container;
  readonly instance: Instance;
  readonly limits: Limits;
  readonly readiness: () => Promise<Readiness>;
  /** Delivers events to the followers of channels. */
  readonly feed = new LiveFeed();
  readonly #options: BootOptions;
  readonly #attribution: Attribution;
  readonly #strays: UncaughtErrors;
  readonly #provision: Provision;
  readonly #log: Log;
  #phase: 'starting' | 'running' | 'stopping' | 'stopped' = 'starting';
  #jobs: RunningJobs | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: BootOptions) {
    const { plan, storage, own, logOf } = options;
    this.#options = options;
    this.instance = options.instance;
    this.limits = { ...defaultLimits, ...options.limits };
    this.#attribution = options.attribution ?? new Attribution([]);
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
      own: (ports) => own({ lives: listed, ...ports, log: this.#log }),
    });
    this.#strays = new UncaughtErrors(this.lives, this.#attribution, this.#log);
    this.readiness = readiness({
      lives: this.lives,
      phase: () => this.#phase,
      checkDatabase: () => storage.check(),
      probeMs: this.limits.probe,
      parked: async () => {
        const parked = await parkedCounts(storage);
        return this.lives.map(({ name }) => name).filter((name) => parked.has(name));
      },
    });
  }

  /**
   * Applies the migrations of all plugins. @returns the outcome of each. A plugin whose migrations were refused has
   * failed.
   */
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

  /** The migrations that `migrate` would apply, and those that it would refuse. */
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

  /**
   * Handles an uncaught error. @returns the plugin that it belongs to, and whether the forge continues without that
   * plugin.
   */
  stray(error: unknown): UncaughtError {
    return this.#strays.take(error);
  }

  /** Ends the boot before the start: an offline command then uses the built plugins. */
  stayBuilt(): void {
    this.container.settle();
  }

  async build(): Promise<void> {
    for (const life of this.lives) await this.#step(life, 'migrated', 'build', () => this.#buildOne(life));
    await this.#refuseClashes();
  }

  /** Checks the real contributions again, because a builder may contribute something else than when it was checked. */
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

  /**
   * Starts every plugin, then publishes: no route is served, no event delivered and no job run before all have started.
   */
  async start(): Promise<void> {
    for (const life of this.lives) {
      await this.#step(life, 'built', 'start', async () => {
        // The operator can grant rights to the bot before the plugin first uses it.
        if (needsOf(life.definition).includes('Bot')) await this.container.port('BotAccounts').ensure(life.name);
        await this.#attribution.run(life.name, () =>
          life.definition.start?.(life.made?.parts as never, life.made?.context as never),
        );
        if (life.state === 'built') life.to('started');
      });
    }
    this.#phase = 'running';
    this.container.settle();
    const alive = this.#alive();
    await this.#options.storage.deliver(
      [
        ...alive.flatMap(({ name, made }) =>
          (made?.events ?? []).map((subscription) => limited(name, subscription, this.limits.handler)),
        ),
        ...this.#indexSubscriptions(),
        ...channelSubscriptions(this.channels, this.feed),
      ],
      alive.map(({ name }) => name),
    );
    const { storage } = this.#options;
    this.#jobs = runJobs(
      alive.flatMap(({ name, made }) => (made?.jobs ?? []).map((job) => ({ plugin: name, job }))),
      {
        locks: storage.locks,
        leads: () => storage.leads(),
        logOf: this.#options.logOf,
        limit: this.limits.job,
        overdue: ({ plugin, job }, sentence) =>
          this.lives.find(({ name }) => name === plugin)?.complain(`job ${job.name}`, sentence),
      },
    );
  }

  /** Those of the plugin that provides the index queue, if there is one. */
  #indexSubscriptions(): readonly OwnedSubscription[] {
    // The port is declared by the kit for authors, which is loaded only if a plugin uses it.
    const queue = traitsOf('IndexQueue') === undefined ? undefined : this.container.port('IndexQueue');
    const [owner] = this.#provision.providersOf('IndexQueue');
    if (queue === undefined || owner === undefined) return [];
    return indexSubscriptions(this.container.port('IndexerRegistry').indexers(), queue).map((subscription) =>
      limited(owner.name, subscription, this.limits.handler),
    );
  }

  /** The routes of running plugins with their mounted paths, in the order of the configuration. */
  get routes(): readonly OwnedRoute[] {
    const { plan } = this.#options;
    const access = (): AccessDecision => this.container.port('AccessDecision');
    return this.#running().flatMap(({ name, made }) => [
      ...servedRoutes(name, made?.routes ?? [], plan),
      ...servedPages(name, made?.pages ?? [], plan, access),
    ]);
  }

  /** The live channels of running plugins with their mounted paths, in the order of the configuration. */
  get channels(): readonly OwnedChannel[] {
    return this.#running().flatMap(({ name, made }) => servedChannels(name, made?.channels ?? [], this.#options.plan));
  }

  /** The running plugins, in the order of the configuration. */
  #running(): readonly Life[] {
    return this.#options.plan.enabled.flatMap(({ name }) => this.#alive().find((life) => life.name === name) ?? []);
  }

  /**
   * Stops all plugins in reverse order. Each step is limited in time, and to half of the rest of `budgetMs`, so that
   * hanging plugins cannot keep the others from stopping. Never rejects, and runs only once.
   */
  stop(budgetMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.#stopped ??= this.#stop(performance.now() + budgetMs);
    return this.#stopped;
  }

  async #stop(deadline: number): Promise<void> {
    this.#phase = 'stopping';
    this.container.settle();
    const limit = (): number => Math.min(this.limits.stop, Math.max(10, (deadline - performance.now()) / 2));
    await this.#jobs?.stop(limit());
    // Event handlers use resources that their plugins release when they stop.
    await within(limit(), 'delivery', () => this.#options.storage.endDelivery()).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'the delivery of events did not end in time'),
    );
    for (const life of this.#alive().toReversed()) {
      const hadStarted = life.state !== 'built';
      life.to('stopping');
      if (hadStarted) await this.#stopOne(life, limit());
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
    const parts: unknown = await this.#attribution.run(definition.name, () => definition.build?.(context as never));
    if (parts !== undefined && !isPart(parts))
      throw new Internal(`its \`build\` made ${kindOf(parts)}`, { detail: 'Let it return an object of its parts' });
    const made = this.#attribution.followed(definition.name, {
      ...contributed(definition, config, parts, context),
      parts,
      context,
    });
    // If the build ended after its time limit, the plugin has already failed.
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
      await within(this.limits.start, 'it', () => this.#strays.during(life, work));
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
    life.to('failed', problem.message, problem.remedy);
    this.#log.debug({ plugin: life.name, err: error }, `plugin did not ${verb}`);
    if (verb === 'start') await this.#stopOne(life, this.limits.stop);
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

  /**
   * Skips the plugins that depend on the lost one, directly or indirectly. @returns why the boot cannot continue, or
   * undefined.
   */
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
          message: `Plugin "${life.name}" cannot run: it needs ${port} of "${lost.name}", which ${lost.state === 'failed' ? 'failed' : 'was skipped'}: ${lost.reason ?? ''}`,
          remedy: `${stopped(lost.remedy ?? `Mend "${lost.name}"`)} To disable "${lost.name}", disable "${life.name}" too: HEXFORGE_PLUGINS=-${lost.name},-${life.name}`,
        };
      }
      life.to('skipped', reason, lost.remedy);
      this.#log.error({ plugin: life.name, reason }, 'plugin skipped');
      const further = this.#skipDependents(life);
      if (further !== undefined) return further;
    }
    return undefined;
  }

  async #stopOne(life: Life, limit: number): Promise<void> {
    try {
      await within(limit, 'it', async () =>
        this.#attribution.run(life.name, () =>
          life.definition.stop?.(life.made?.parts as never, life.made?.context as never),
        ),
      );
    } catch (error) {
      this.#log.error({ plugin: life.name, err: error }, 'plugin did not stop cleanly');
    }
  }

  #alive(): readonly Life[] {
    return this.lives.filter(({ usable }) => usable);
  }
}
