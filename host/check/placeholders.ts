// Placeholders for the parts of a plugin before it is built. They can be destructured and passed on, and throw when
// used.

/** A plugin's builder used something that exists only after the plugin is built. */
export class UsedTooEarly extends Error {
  readonly member: string;

  constructor(member: string) {
    super(`"${member}" is used before the plugin is built`);
    this.member = member;
  }
}

const placeholders = new WeakSet<object>();
export const isPlaceholder = (value: unknown): boolean => typeof value === 'function' && placeholders.has(value);

/**
 * Reading a member returns a placeholder for that member. Any other operation throws, naming the member. A truth test
 * cannot be intercepted: a placeholder is always true.
 * @param known Members whose values are already known.
 */
export function placeholder(name: string, known: Readonly<Record<string, unknown>> = {}): object {
  const refuse = (): never => {
    throw new UsedTooEarly(name);
  };
  const made = new Proxy(() => undefined, {
    get(_, member) {
      if (typeof member === 'symbol') return refuse();
      // `then` is undefined, so that the placeholder is not treated as a promise.
      if (member === 'then') return undefined;
      return Object.hasOwn(known, member) ? known[member] : placeholder(`${name}.${member}`);
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
  placeholders.add(made);
  return made;
}
