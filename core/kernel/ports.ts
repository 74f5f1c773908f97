// Declaration of ports: the open interfaces of their names, and their runtime traits.

/** Ports with exactly one provider. A consumer receives `T`. Extended by declaration merging, next to each contract. */
export interface Ports {}
/** Ports with zero or one provider. A consumer receives `T | undefined`. */
export interface OptionalPorts {}
/** Ports with any number of providers. A consumer receives `readonly T[]`, in the order of the configuration. */
export interface PluralPorts {}

/** The name of a port of any arity. */
export type PortName = keyof Ports | keyof OptionalPorts | keyof PluralPorts;

/** The runtime traits of a port, including the behaviour when it has no provider. */
export interface PortTraits {
  readonly arity: 'single' | 'optional' | 'plural';
  /** The name of the component for operators, such as "git back end" and "audit log". */
  readonly component: string;
  /** Whether the port is security-critical. If its provider fails, startup fails instead of isolating the plugin. */
  readonly critical: boolean;
  /**
   * The behaviour without a provider. `refuse`: startup fails. `unavailable`: every call returns 503 naming the
   * component. `hidden`: routes that require it return 404. `degraded`: the consumer receives undefined or an empty
   * list and omits the feature.
   */
  readonly absent: 'refuse' | 'unavailable' | 'hidden' | 'degraded';
  /**
   * The methods that a provider must have. Checked when the provider is built, because a plugin may be plain
   * JavaScript.
   */
  readonly methods?: readonly string[];
}

type ArityOf<K extends PortName> = K extends keyof Ports
  ? 'single'
  : K extends keyof OptionalPorts
    ? 'optional'
    : 'plural';

const traitNames = ['arity', 'component', 'critical', 'absent'] as const;
const declared = new Map<string, PortTraits>();

/**
 * Declares a port, next to its contract. Repeating the same declaration has no effect, because two plugins may depend
 * on the package that makes it. A different declaration of the same name throws.
 *
 * @example
 *   declare module 'hexforge/plugin' {
 *     interface Ports {
 *       Gong: { strike(): Promise<void> };
 *     }
 *   }
 *   declarePort('Gong', { arity: 'single', component: 'gong', critical: false, absent: 'refuse' });
 */
export function declarePort<K extends PortName>(name: K, traits: PortTraits & { readonly arity: ArityOf<K> }): void {
  const before = declared.get(name);
  if (before !== undefined && traitNames.some((trait) => before[trait] !== traits[trait]))
    throw new Error(`port "${name}" is declared already, and otherwise`);
  declared.set(name, traits);
}

/** Every port declared so far, by name. */
export function declaredPorts(): ReadonlyMap<string, PortTraits> {
  return declared;
}

/** The value that a plugin receives for the port `K`. */
export type PortValue<K extends PortName> = K extends keyof Ports
  ? Ports[K]
  : K extends keyof OptionalPorts
    ? OptionalPorts[K] | undefined
    : K extends keyof PluralPorts
      ? readonly PluralPorts[K][]
      : never;

/** The type of one provider of the port `K`. */
export type PortContract<K extends PortName> = K extends keyof Ports
  ? Ports[K]
  : K extends keyof OptionalPorts
    ? OptionalPorts[K]
    : K extends keyof PluralPorts
      ? PluralPorts[K]
      : never;
