// The dependency injection container: each port is resolved once by name, and each plugin gets exactly the ports that
// it declared.
import { asFunction, asValue, createContainer, InjectionMode, type AwilixContainer } from 'awilix/browser';
import { Internal, Unavailable } from '#core/kernel/errors';
import type { PluralPorts, PortName, PortTraits, PortValue } from '#core/kernel/ports';
import { isPart, kindOf, unawaited } from '../problems/values.ts';
import { heldContext, heldPort } from '../plugin/declared.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Life } from '../plugin/life.ts';
import { hostPorts, portsOf, traitsOf, type Provision } from '../plugin/plan.ts';

export interface ContainerParts {
  readonly lives: readonly Life[];
  readonly provision: Provision;
  /** Makes the values that the host provides, by port. */
  readonly own: (ports: PortReader) => { readonly [port: string]: unknown };
}

/** A provided value and the plugin that provides it. */
export interface Provided<T> {
  readonly plugin: string;
  readonly provided: T;
}

/** Reads the ports of plugins. */
export interface PortReader {
  /** The current value of a port, from providers that are built and have not failed. */
  port<K extends PortName>(name: K): PortValue<K>;
  /** A function that reads the port at each call. */
  reader<K extends PortName>(name: K): () => PortValue<K>;
  /** Each current provider of a plural port, with its plugin. */
  providers<K extends keyof PluralPorts>(name: K): readonly Provided<PluralPorts[K]>[];
}

export interface Container extends PortReader {
  /** Ends the boot: providers no longer change, so port values are cached, and late needs can be read. */
  settle(): void;
  /**
   * Makes the values that a plugin provides at once, so that a failure is attributed to this plugin. @throws {Error} if
   * a value is not usable.
   */
  provide(life: Life): void;
  /** The context for the builders of one plugin. Reading a member that the plugin did not declare throws. */
  context(
    definition: PluginDefinition,
    rest: Readonly<Record<'config' | 'stores' | 'log' | 'instance', unknown>>,
  ): unknown;
}

const strict = <T extends object>(): AwilixContainer<T> =>
  createContainer<T>({ injectionMode: InjectionMode.PROXY, strict: true });

export function container({ lives, provision, own }: ContainerParts): Container {
  const lifeOf = new Map(lives.map((life) => [life.definition, life]));
  /** One resolver per provider and port, so that all consumers get the same object. */
  const provided = strict<Record<string, unknown>>();
  for (const life of lives) {
    for (const [port, provide] of Object.entries(life.definition.provides ?? {})) {
      provided.register(
        key(life, port),
        asFunction(() => provide(life.made?.parts as never, life.made?.context as never)).singleton(),
      );
    }
  }

  const providersNow = (port: string): readonly Life[] =>
    provision
      .providersOf(port)
      .flatMap((definition) => lifeOf.get(definition) ?? [])
      .filter(({ usable }) => usable);

  const value = (port: string): unknown => {
    const traits = traitsOf(port);
    if (traits === undefined) throw new Error(`port "${port}" is not declared`);
    const values = providersNow(port).map((life): unknown => provided.resolve(key(life, port)));
    if (traits.arity === 'plural') return values;
    if (values.length > 0) return values[0];
    if (port in hostPorts) return provides[port];
    return traits.arity === 'optional' ? undefined : placeholder(traits);
  };

  /** The cached port values, once providers no longer change, because each request reads several ports. */
  let settled: Map<string, unknown> | undefined;
  const port = (name: string): unknown => {
    if (settled === undefined) return value(name);
    if (!settled.has(name)) settled.set(name, value(name));
    return settled.get(name);
  };

  const late = (definition: PluginDefinition): object => {
    const read = (name: string): unknown => {
      if (settled === undefined)
        throw new Error(`plugin "${definition.name}" reads its late need ${name} before the host has started`);
      return heldPort(definition, name, port(name));
    };
    return heldContext(definition, gettersOf(definition.late ?? [], read), true);
  };

  const ports: PortReader = {
    port: port as PortReader['port'],
    reader: ((name: string) => () => port(name)) as PortReader['reader'],
    providers: ((name: string) =>
      providersNow(name).map((life): Provided<unknown> => ({
        plugin: life.name,
        provided: provided.resolve(key(life, name)),
      }))) as PortReader['providers'],
  };
  const provides = own(ports);

  return {
    ...ports,
    settle() {
      settled ??= new Map();
    },
    provide(life) {
      for (const port of portsOf(life.definition)) {
        const made = unawaited(provided.resolve(key(life, port)));
        if (!isPart(made))
          throw new Internal(`its \`provides\` returned ${kindOf(made)} for the port ${port}`, {
            detail: 'Return the object that implements the port, and no promise of it',
          });
        checkMethods(port, made);
      }
    },
    context(definition, rest) {
      const mine = strict<Record<string, unknown>>();
      for (const [name, given] of Object.entries({ ...rest, late: late(definition) }))
        mine.register(name, asValue(given));
      for (const port of definition.needs ?? [])
        mine.register(port, asFunction(() => heldPort(definition, port, value(port))).singleton());
      const members = gettersOf(Object.keys(mine.registrations), (name) => mine.resolve(name));
      return heldContext(definition, members, false);
    },
  };
}

/** An object with these members, each computed when it is read. */
const gettersOf = (names: readonly string[], read: (name: string) => unknown): object =>
  Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { enumerable: true, configurable: true, get: () => read(name) }])),
  );

const key = (life: Life, port: string): string => `${life.name}:${port}`;

/** @throws {Error} naming the first missing method. */
function checkMethods(port: string, provided: unknown): void {
  for (const method of traitsOf(port)?.methods ?? [])
    if (typeof (provided as { readonly [name: string]: unknown } | null | undefined)?.[method] !== 'function')
      throw new Error(`what it provides as ${port} has no method "${method}"`);
}

/** Used for a port without a provider: every call rejects with 503, naming the component. */
function placeholder({ component }: PortTraits): object {
  const refuse = async (): Promise<never> => {
    throw new Unavailable(`The ${component} is not available`, {
      detail: 'The plugin that provides it has to be enabled on this instance',
    });
  };
  // `then` is undefined, so that the placeholder is not treated as a promise.
  return new Proxy(
    {},
    { get: (_, property) => (property === 'then' || typeof property === 'symbol' ? undefined : refuse) },
  );
}
