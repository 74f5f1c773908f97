// Contract checks for the port ReferenceFinder.
import assert from 'node:assert/strict';
import type { ReferenceFinder, ReferencePlace } from '#host/plugin/markup';
import type { Check } from './checks.ts';

export interface ReferenceFinderUnderTest {
  readonly finder: ReferenceFinder;
  /** A reference to a thing that exists, and the path of its page. */
  readonly known: { readonly reference: string; readonly path: string };
  /** A reference to nothing. */
  readonly unknown: string;
  readonly place: ReferencePlace;
  /** A caller who may not read the thing; undefined if everybody may. */
  readonly stranger: ReferencePlace | undefined;
}

const most = 200;

export const referenceFinderChecks: readonly Check<ReferenceFinderUnderTest>[] = [
  {
    name: 'a thing that exists has a path and a title, and others are missing from the map',
    async run({ finder, known: { reference, path }, unknown, place }) {
      const found = await finder.find([unknown, reference], place);
      assert.deepEqual([...found.keys()], [reference]);
      assert.equal(found.get(reference)?.path, path);
      assert.equal(typeof found.get(reference)?.title, 'string');
      assert.deepEqual(await finder.find([], place), new Map());
    },
  },
  {
    name: 'a thing that the caller may not read is missing, like one that does not exist',
    async run({ finder, known, unknown, stranger }) {
      if (stranger === undefined) return;
      assert.deepEqual(await finder.find([known.reference], stranger), new Map());
      assert.deepEqual(await finder.find([unknown], stranger), new Map());
    },
  },
  {
    name: 'references of a sign other than @ are found in a repository only',
    async run({ finder, known, place }) {
      const found = await finder.find([known.reference], { ...place, repository: undefined });
      assert.equal(found.has(known.reference), finder.sign === '@');
    },
  },
  {
    name: '200 references and hostile ones are no error',
    async run({ finder, known, place }) {
      const many = Array.from({ length: most - 1 }, (_, index) => String(900_000_000 + index));
      assert.equal((await finder.find([known.reference, ...many], place)).has(known.reference), true);
      const hostile = ['999999999', 'f'.repeat(40), '..', "' or '1'='1", '9'.repeat(9), 'constructor'];
      assert.deepEqual(await finder.find(hostile, place), new Map());
    },
  },
];
