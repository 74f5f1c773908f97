// The weight of a path, which orders files that match equally well.

/** Folders whose files are rarely what a search is for. */
const remote = new Set([
  '__mocks__',
  '__snapshots__',
  '__tests__',
  'bench',
  'benchmark',
  'benchmarks',
  'deps',
  'example',
  'examples',
  'fixture',
  'fixtures',
  'locale',
  'locales',
  'mock',
  'mocks',
  'node_modules',
  'sample',
  'samples',
  'spec',
  'specs',
  'test',
  'testdata',
  'tests',
  'third_party',
  'thirdparty',
  'vendor',
  'vendored',
]);
const testName = /(?:^|[._-])(?:test|tests|spec|mock)(?:[._-]|$)/;

/** From 0 to 100; greater is better. A short path weighs more, a path of tests or of vendored code less. */
export function pathWeight(path: string): number {
  const segments = path.toLowerCase().split('/');
  const name = segments.at(-1) ?? '';
  const isRemote = segments.slice(0, -1).some((segment) => remote.has(segment)) || testName.test(name);
  const depth = Math.min(segments.length - 1, 10) * 4;
  const length = Math.min(path.length, 100) / 5;
  return Math.max(0, Math.round(100 - depth - length - (isRemote ? 40 : 0)));
}

/** The file name without its folder and its last extension, such as `parse` of `src/parse.ts`. */
export function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
