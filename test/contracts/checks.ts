// A contract as a list of named checks: run as subtests on a provider that should keep it, and by hand on ones that
// should not.
export interface Check<P> {
  /** What is promised. */
  readonly name: string;
  /** Rejects where the provider breaks the promise. */
  run(provider: P): Promise<void>;
}

/** A provider for one check, and how to be rid of it. */
export interface Made<P> {
  readonly provider: P;
  dispose(): Promise<void>;
}

const tooLong = 20_000;

/** What is used of a runner's test, such as tap's. */
export interface Suite<T> {
  test(name: string, options: { readonly timeout: number }, body: (t: T) => Promise<unknown>): Promise<unknown>;
  resolves(work: Promise<unknown>, name: string): Promise<unknown>;
}

/** Runs every check as a subtest on a provider of its own. */
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

/** The names of the checks that fail, or have not ended after `patience` milliseconds. */
export async function failures<P>(
  checks: readonly Check<P>[],
  make: () => Promise<Made<P>>,
  patience: number,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const check of checks) {
    const { provider, dispose } = await make();
    await limited(check.run(provider), patience).catch(() => {
      names.push(check.name);
    });
    await limited(dispose(), patience).catch(() => undefined);
  }
  return names;
}

/** Fails instead of waiting for ever on a provider that forgets to answer. */
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

/** A promise and what settles it: for tests that wait for a moment instead of a time. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: () => resolve() };
}

/** Lets everything that is ready to run do so. */
export async function turn(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
