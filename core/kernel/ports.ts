// The open interfaces by which a port is named, and what the host must know of each one at run time.

/** Ports with exactly one provider. A consumer sees `T`. Extended by declaration merging, beside each contract. */
export interface Ports {}
/** Ports with zero or one provider. A consumer sees `T | undefined`. */
export interface OptionalPorts {}
/** Ports with any number of providers. A consumer sees `readonly T[]`, in the order of the configuration. */
export interface PluralPorts {}

/** The name of a port of any arity. */
export type PortName = keyof Ports | keyof OptionalPorts | keyof PluralPorts;

/** What the host says and does where a port has no provider. */
export interface PortTraits {
  readonly arity: 'single' | 'optional' | 'plural';
  /** The component as an operator calls it: "git back end", "audit log". */
  readonly component: string;
  /** A provider of a security-critical port is never isolated: when it fails, the boot fails. */
  readonly critical: boolean;
  /**
   * `refuse`: the boot is refused. `unavailable`: every call answers 503 naming the component. `hidden`: routes that
   * require it are 404. `degraded`: the consumer sees that it is absent and answers without it.
   */
  readonly absent: 'refuse' | 'unavailable' | 'hidden' | 'degraded';
  /** What a provider must have: looked at when it is made, for a plugin may be plain JavaScript. */
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
 * Declares a port, beside its contract. Declaring it again changes nothing, for two plugins may each bring the package
 * that does; declaring it otherwise is a programming error.
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

/** What a builder that needs the port `K` receives. */
export type PortValue<K extends PortName> = K extends keyof Ports
  ? Ports[K]
  : K extends keyof OptionalPorts
    ? OptionalPorts[K] | undefined
    : K extends keyof PluralPorts
      ? readonly PluralPorts[K][]
      : never;

/** What one provider of the port `K` is. */
export type PortContract<K extends PortName> = K extends keyof Ports
  ? Ports[K]
  : K extends keyof OptionalPorts
    ? OptionalPorts[K]
    : K extends keyof PluralPorts
      ? PluralPorts[K]
      : never;
