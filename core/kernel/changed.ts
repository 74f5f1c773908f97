// What a change makes otherwise: what stays as it is is neither written nor told.

/** Of what is asked for, the members that are otherwise before. Objects are compared by identity. */
export const changed = <T extends object>(before: T, asked: Partial<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(asked).filter(([member, value]) => value !== undefined && before[member as keyof T] !== value),
  ) as Partial<T>;

/** Whether both have the same members, in whatever order and however often. */
export const sameMembers = (one: Iterable<string>, other: Iterable<string>): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;
