// Compares values before and after a change, so that unchanged values are neither written nor reported.

/** The requested members. Undefined ones stay unchanged. */
export type Asked<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Returns the requested members without the undefined ones. */
export const given = <T extends object>(asked: Asked<T>): Partial<T> =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Returns the requested members that differ from the current ones. Objects are compared by identity. */
export const changed = <T extends object>(before: T, asked: Asked<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(asked).filter(([member, value]) => value !== undefined && before[member as keyof T] !== value),
  ) as Partial<T>;

/** The name of a member in the API, such as `display_name` for `displayName`. */
export const apiName = (member: string): string => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const apiNames = (members: object): readonly string[] => Object.keys(members).map(apiName);

/** Whether both contain the same elements. Order and repetition are ignored. */
export const sameMembers = (one: Iterable<string>, other: Iterable<string>): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;
