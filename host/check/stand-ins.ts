// Stand-ins for what a plugin will have once it is built: they can be taken apart and passed on, and throw when used.

/** A plugin's builder used what is there only once the plugin is built. */
export class UsedTooEarly extends Error {
  readonly member: string;

  constructor(member: string) {
    super(`"${member}" is used before the plugin is built`);
    this.member = member;
  }
}

const standIns = new WeakSet<object>();
export const isStandIn = (value: unknown): boolean => typeof value === 'function' && standIns.has(value);

/**
 * Answers the name of a member with a stand-in for that member, and throws at anything else that is done with it,
 * naming the member. Whether it is there cannot be trapped: a stand-in is always true.
 * @param known members whose values are known already.
 */
export function standIn(name: string, known: Readonly<Record<string, unknown>> = {}): object {
  const refuse = (): never => {
    throw new UsedTooEarly(name);
  };
  const made = new Proxy(() => undefined, {
    get(_, member) {
      if (typeof member === 'symbol') return refuse();
      // With a `then` it would pass for a promise.
      if (member === 'then') return undefined;
      return Object.hasOwn(known, member) ? known[member] : standIn(`${name}.${member}`);
    },
    apply: refuse,
    construct: refuse,
    has: refuse,
    ownKeys: refuse,
    getOwnPropertyDescriptor: refuse,
    getPrototypeOf: refuse,
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
    setPrototypeOf: refuse,
    preventExtensions: refuse,
  });
  standIns.add(made);
  return made;
}
