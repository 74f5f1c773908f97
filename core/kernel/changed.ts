// What a change makes otherwise: what stays as it is is neither written nor told.

/** Of what is asked for, the members that are otherwise before. Objects are compared by identity. */
export const changed = <T extends object>(before: T, asked: Partial<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(asked).filter(([member, value]) => value !== undefined && before[member as keyof T] !== value),
  ) as Partial<T>;
