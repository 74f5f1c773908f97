// A contract suite as a list of named checks. Contract tests run them as subtests on a provider; tests of broken
// providers run them directly.
export interface Check<P> {
  /** The promise that the check verifies. */
  readonly name: string;
  /** Rejects if the provider breaks the promise. */
  run(provider: P): Promise<void>;
}

/** A provider for one check, with the function that disposes of it. */
export interface Made<P> {
  readonly provider: P;
  dispose(): Promise<void>;
}

const tooLong = 20_000;

/** The part of a test runner's test object that is used, such as tap's `t`. */
export interface Suite<T> {
  test(name: string, options: { readonly timeout: number }, body: (t: T) => Promise<unknown>): Promise<unknown>;
  resolves(work: Promise<unknown>, name: string): Promise<unknown>;
}

/** Runs every check as a subtest on its own provider. */
export function contract<P, T extends Suite<T>>(
  t: T,
  name: string,
  checks: readonly Check<P>[],
  make: (t: T) => Promise<Made<P>>,
): Promise<unknown> {
  return t.test(name, { timeout: 300_000 }, async (suite) => {
    for (const check of checks) {
      await suite.test(check.name, { timeout: 60_000 }, async (subtest) => {
        const { provider, dispose } = await make(subtest);
        try {
          await subtest.resolves(limited(check.run(provider), tooLong), check.name);
        } finally {
          await dispose();
        }
      });
    }
  });
}

/** Returns the names of the checks that fail or exceed the time limit, which is in milliseconds. */
export async function failures<P>(
  checks: readonly Check<P>[],
  make: () => Promise<Made<P>>,
  timeLimit: number,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const check of checks) {
    const { provider, dispose } = await make();
    await limited(check.run(provider), timeLimit).catch(() => {
      names.push(check.name);
    });
    await limited(dispose(), timeLimit).catch(() => undefined);
  }
  return names;
}

/** The name of the first check that fails, or has not ended after `timeLimit` milliseconds; undefined if all pass. */
export async function firstFailure<P>(
  checks: readonly Check<P>[],
  make: () => Promise<Made<P>>,
  timeLimit: number,
): Promise<string | undefined> {
  for (const check of checks) {
    const [failed] = await failures([check], make, timeLimit);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

/** Rejects if the work does not settle within `milliseconds`. */
export async function limited<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A promise with the function that resolves it, for tests that wait for an event instead of a duration. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: () => resolve() };
}

/** Yields one event loop iteration. */
export async function turn(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
