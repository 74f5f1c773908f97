// Marks of tests that `npm test` leaves to `npm run test:all`.
import type { Test } from 'tap';
import { databaseUnderTest, wholeRun } from './database.ts';

type Tests = Pick<Test, 'test'>;

/** Registers no test. */
const none: Tests = { test: (async () => null) as unknown as Test['test'] };

/** Tests of behaviour that only a database has: query plans, statement counts, concurrency. Not run in memory. */
export const onDatabase = (t: Test): Tests => (databaseUnderTest() === 'memory' ? none : t);

/** Tests that take long, of rules for which a quicker test exists too. Run by `npm run test:all` alone. */
export const thorough = (t: Test): Tests => (wholeRun ? t : none);

/**
 * The routes that an access walk requests: in `npm test` the first of each rule, in the whole run all. Two routes
 * follow the same rule if they declare the same access and scope and the table expects the same answers.
 *
 * @param ruleOf the declaration and the expectation.
 */
export const toWalk = <T>(routes: readonly T[], ruleOf: (route: T) => unknown): readonly T[] =>
  wholeRun ? routes : firstOfEach(routes, ruleOf);

/** The first item of each rule. */
export function firstOfEach<T>(items: readonly T[], ruleOf: (item: T) => unknown): readonly T[] {
  const rules = new Set<string>();
  return items.filter((item) => {
    const rule = JSON.stringify(ruleOf(item));
    return !rules.has(rule) && rules.add(rule);
  });
}
