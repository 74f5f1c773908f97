// The configuration of the linter. Its layer rules are generated from the table of tools/layers.ts.
import { layers } from './tools/layers.ts';

/** A pattern of the table as the linter reads it: `#core/…` for folders, packages by name. */
const asSpecifier = (pattern: string): string =>
  pattern.startsWith('node:') ? pattern : pattern.startsWith('npm:') ? pattern.slice('npm:'.length) : `#${pattern}`;

const timers = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];

const layerRules = layers.map(({ folder, may, not = [], says }) => {
  // The linter does not support `{1}`: own files are imported by relative paths, and the architecture test finds
  // imports of another area's use cases.
  const allowed = may
    .filter((pattern) => !pattern.endsWith('{1}/**'))
    .flatMap((pattern) => {
      const specifier = asSpecifier(pattern.replace('{1}', '*'));
      // As .gitignore has it, `**` in one part of a path is not the parts below: `node:fs/promises`.
      return specifier === 'node:**' ? [specifier, 'node:**/**'] : [specifier];
    });
  const everything = may.includes('npm:**');
  const group = everything
    ? // Libraries are free, so only the project's own folders are listed.
      [
        '#core/**',
        '#adapters/**',
        '#plugins/**',
        '#host/**',
        '#config/**',
        '#test/**',
        ...allowed.filter((pattern) => pattern.startsWith('#')).map((pattern) => `!${pattern}`),
      ].map((pattern) => pattern.replace(/^#/, '\\#'))
    : ['**', '!./**', '!../**', ...allowed.map((pattern) => `!${pattern}`), ...not.map((pattern) => `\\#${pattern}`)];
  return {
    files: [`${folder}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message: says }] }] },
  };
});

export default {
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'node'],
  options: { typeAware: true },
  categories: { correctness: 'error' },
  ignorePatterns: ['dist', 'node_modules', 'test/fixtures'],
  rules: {
    'import/no-cycle': 'error',
    // Open interfaces (ports, scopes, events) are empty in the file that declares them, where their keys are still
    // `never`.
    'typescript/no-redundant-type-constituents': 'off',
    // Objects made by functions have no `this`, so their methods travel alone.
    'typescript/unbound-method': 'off',
    'typescript/require-array-sort-compare': 'off',
    'typescript/no-misused-spread': 'off',
    'promise/no-callback-in-promise': 'off',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    eqeqeq: 'error',
    'no-var': 'error',
    'prefer-const': 'error',
  },
  overrides: [
    // Old JavaScript, so that an old Node can read it.
    { files: ['bin/**/*.js'], rules: { 'no-var': 'off', 'typescript/no-floating-promises': 'off' } },
    // More specific folders are at the end here, because the last match wins; in the table the first match wins.
    ...layerRules.toReversed(),
    {
      files: ['core/**/*.ts'],
      rules: {
        'no-restricted-globals': [
          'error',
          'crypto',
          'process',
          'Buffer',
          'fetch',
          'globalThis',
          'performance',
          ...timers,
        ],
        'no-restricted-properties': [
          'error',
          { object: 'Date', property: 'now' },
          { object: 'Math', property: 'random' },
        ],
      },
    },
  ],
};
