// Compares values before and after a change, so that unchanged values are neither written nor reported.

/** The requested members that differ from the current ones. Objects are compared by identity, undefined is ignored. */
export const changed = <T extends object>(
  before: T,
  asked: { readonly [M in keyof T]?: T[M] | undefined },
): Partial<T> =>
  Object.fromEntries(
    Object.entries(asked).filter(([member, value]) => value !== undefined && before[member as keyof T] !== value),
  ) as Partial<T>;

/** Whether both contain the same elements. Order and repetition are ignored. */
export const sameMembers = (one: Iterable<string>, other: Iterable<string>): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;
