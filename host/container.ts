// The dependency injection container: ports by name, resolved once each, and for every plugin exactly what it declared.
import { asFunction, asValue, createContainer, InjectionMode, type AwilixContainer } from 'awilix';
import { Unavailable } from '#core/kernel/errors';
import { declaredPorts, type PluralPorts, type PortName, type PortTraits, type PortValue } from '#core/kernel/ports';
import type { PluginDefinition } from './definition.ts';
import type { Life } from './life.ts';
import { didYouMean } from './nearest.ts';
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

/** A builder reads what its plugin did not ask for. */
class UndeclaredNeed extends Error {
  readonly code = 'undeclared_need';
  readonly remedy: string;

  constructor({ name }: PluginDefinition, read: string, remedy: string) {
    super(`Plugin "${name}" reads "${read}" of its context, which it does not declare`);
    this.name = 'UndeclaredNeed';
    this.remedy = remedy;
  }
}

function undeclaredNeed(definition: PluginDefinition, read: string, given: readonly string[]): UndeclaredNeed {
  const isLate = (definition.late ?? []).some((port) => port === read);
  const remedy = isLate
    ? `It is a late need: read \`late.${read}\` once everything has started`
    : declareIt(read, 'needs', given);
  return new UndeclaredNeed(definition, read, remedy);
}

const declareIt = (read: string, member: 'needs' | 'late', given: readonly string[]): string =>
  traitsOf(read) === undefined
    ? didYouMean(read, [...given, ...declaredPorts().keys()], 'No port has this name: correct it in its builders')
    : `Add '${read}' to the \`${member}\` of its definition`;

/** Throws where anything else than `known` is read. Of a `then` promises ask, and of a symbol whoever prints it. */
const onlyKnown = <T extends object>(
  target: T,
  known: (name: string) => boolean,
  refusal: (name: string) => Error,
): T =>
  new Proxy(target, {
    get(it, name) {
      if (typeof name === 'string' && name !== 'then' && !known(name)) throw refusal(name);
      return Reflect.get(it, name) as unknown;
    },
  });

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
    const needs: object = Object.defineProperties(
      {},
      Object.fromEntries(
        (definition.late ?? []).map((name) => [
          name,
          {
            enumerable: true,
            get: () => {
              if (!started())
                throw new Error(`plugin "${definition.name}" reads its late need ${name} before the host has started`);
              return port(name);
            },
          },
        ]),
      ),
    );
    return onlyKnown(
      needs,
      (name) => Object.hasOwn(needs, name),
      (name) => new UndeclaredNeed(definition, `late.${name}`, declareIt(name, 'late', Object.keys(needs))),
    );
  };

  return {
    port: port as Container['port'],
    providers: ((name: string) =>
      providersNow(name).map((life): Provided<unknown> => ({
        plugin: life.name,
        provided: provided.resolve(key(life, name)),
      }))) as Container['providers'],
    provide(life) {
      for (const port of portsOf(life.definition)) checkMethods(port, provided.resolve(key(life, port)));
    },
    context(definition, rest) {
      const mine = strict<Record<string, unknown>>();
      for (const [name, given] of Object.entries({ ...rest, late: late(definition) }))
        mine.register(name, asValue(given));
      for (const port of needsOf(definition)) mine.register(port, asFunction(() => value(port)).singleton());
      return onlyKnown(
        mine.cradle,
        (name) => mine.hasRegistration(name),
        (name) => undeclaredNeed(definition, name, Object.keys(mine.registrations)),
      );
    },
  };
}

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
