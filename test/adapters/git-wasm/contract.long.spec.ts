// git-wasm passes the contract suite of `GitBackend`, except the checks in which it is known to differ.
import t, { type Test } from 'tap';
import type { Check } from '#test/contracts/checks';
import { contract, failures } from '#test/contracts/checks';
import { gitBackendChecks } from '#test/contracts/git-backend';
import { openBench, type Bench } from '#test/contracts/git/provider';
import { makeWasm } from './provider.ts';

/** The checks that fail, each with the reason. docs/git-wasm.md describes the differences. */
const different: ReadonlyMap<string, string> = new Map([
  [
    'every method returns the names, dates and message of a commit that git log prints, in every encoding',
    'encodings that the runtime lacks, such as UTF-7, EUC-TW and ISO-2022-KR, are read as UTF-8',
  ],
]);

void t.test('git-wasm', { timeout: 360_000 }, async (suite) => {
  const bench = await openBench((root) => makeWasm(root));
  suite.teardown(() => bench.dispose());
  const made = async () => ({ provider: bench, dispose: async () => undefined });
  const isKept = ({ name }: Check<Bench>): boolean => !different.has(name);
  await contract<Bench, Test>(suite, 'keeps every promise', gitBackendChecks.filter(isKept), made);
  // One that passes must be taken off the list.
  suite.same(
    await failures(
      gitBackendChecks.filter((check) => !isKept(check)),
      made,
      20_000,
    ),
    [...different.keys()],
    'the checks in which it differs fail',
  );
});
