// The dependency injection container: ports by name, resolved once each, and for every plugin exactly what it declared.
import { asFunction, asValue, createContainer, InjectionMode, type AwilixContainer } from 'awilix/browser';
import { Internal, Unavailable } from '#core/kernel/errors';
import type { PluralPorts, PortName, PortTraits, PortValue } from '#core/kernel/ports';
import { isPart, kindOf, unawaited } from './check/shape.ts';
import { heldContext, heldPort } from './declared.ts';
import type { PluginDefinition } from './definition.ts';
import type { Life } from './life.ts';
import { hostPorts, needsOf, portsOf, traitsOf, type Provision } from './plan.ts';

export interface ContainerParts {
  readonly lives: readonly Life[];
  readonly provision: Provision;
  /** What the host provides itself, by port. */
  readonly own: { readonly [port: string]: unknown };
  readonly started: () => boolean;
}

/** What one plugin provides. */
export interface Provided<T> {
  readonly plugin: string;
  readonly provided: T;
}

export interface Container {
  /** What a consumer of the port sees now: providers that are built and well. */
  port<K extends PortName>(name: K): PortValue<K>;
  /** Each provider of a plural port that a consumer sees now, and whose it is. */
  providers<K extends keyof PluralPorts>(name: K): readonly Provided<PluralPorts[K]>[];
  /**
   * Makes what a plugin provides, so that a provider that cannot be made is its own plugin's failure and nobody else's.
   */
  provide(life: Life): void;
  /** What the builders of one plugin receive. Naming anything it did not declare throws. */
  context(
    definition: PluginDefinition,
    rest: Readonly<Record<'config' | 'stores' | 'log' | 'instance', unknown>>,
  ): unknown;
}

const strict = <T extends object>(): AwilixContainer<T> =>
  createContainer<T>({ injectionMode: InjectionMode.PROXY, strict: true });

export function container({ lives, provision, own, started }: ContainerParts): Container {
  const lifeOf = new Map(lives.map((life) => [life.definition, life]));
  /** One resolver per provider and port, built here once: whoever resolves it gets the same object. */
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
    if (port in hostPorts) return own[port];
    return traits.arity === 'optional' ? undefined : standIn(traits);
  };

  /** Who provides does not change any more once all have started, and a request asks for several ports. */
  const settled = new Map<string, unknown>();
  const port = (name: string): unknown => {
    if (!started()) return value(name);
    if (!settled.has(name)) settled.set(name, value(name));
    return settled.get(name);
  };

  const late = (definition: PluginDefinition): object => {
    const read = (name: string): unknown => {
      if (!started())
        throw new Error(`plugin "${definition.name}" reads its late need ${name} before the host has started`);
      return heldPort(definition, name, port(name));
    };
    return heldContext(definition, gettersOf(definition.late ?? [], read), true);
  };

  return {
    port: port as Container['port'],
    providers: ((name: string) =>
      providersNow(name).map((life): Provided<unknown> => ({
        plugin: life.name,
        provided: provided.resolve(key(life, name)),
      }))) as Container['providers'],
    provide(life) {
      for (const port of portsOf(life.definition)) {
        const made = unawaited(provided.resolve(key(life, port)));
        if (!isPart(made))
          throw new Internal(`its \`provides\` makes ${kindOf(made)} of the port ${port}`, {
            detail: 'Let it return the object that others are to use, at once',
          });
        checkMethods(port, made);
      }
    },
    context(definition, rest) {
      const mine = strict<Record<string, unknown>>();
      for (const [name, given] of Object.entries({ ...rest, late: late(definition) }))
        mine.register(name, asValue(given));
      for (const port of needsOf(definition))
        mine.register(port, asFunction(() => heldPort(definition, port, value(port))).singleton());
      const members = gettersOf(Object.keys(mine.registrations), (name) => mine.resolve(name));
      return heldContext(definition, members, false);
    },
  };
}

/** An object with these members, each read when it is asked for. */
const gettersOf = (names: readonly string[], read: (name: string) => unknown): object =>
  Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { enumerable: true, configurable: true, get: () => read(name) }])),
  );

const key = (life: Life, port: string): string => `${life.name}:${port}`;

/** @throws {Error} naming the first that lacks. */
function checkMethods(port: string, provided: unknown): void {
  for (const method of traitsOf(port)?.methods ?? [])
    if (typeof (provided as { readonly [name: string]: unknown } | null | undefined)?.[method] !== 'function')
      throw new Error(`what it provides as ${port} has no method "${method}"`);
}

/** Stands where a port has no provider and the boot goes on: every call rejects, naming the component. */
function standIn({ component }: PortTraits): object {
  const refuse = async (): Promise<never> => {
    throw new Unavailable(`The ${component} is not available`, {
      detail: 'The plugin that provides it has to be enabled on this instance',
    });
  };
  // No `then`: the stand-in itself must pass through promises unharmed.
  return new Proxy(
    {},
    { get: (_, property) => (property === 'then' || typeof property === 'symbol' ? undefined : refuse) },
  );
}
