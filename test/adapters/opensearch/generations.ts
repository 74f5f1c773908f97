// Generations of files that a writer stores one after the other, until it is killed.
import type { IndexChanges } from '#core/search/index';
import { file } from './samples.ts';

const count = 300;

/** The path of a file in a generation. Some files are in each, the others in every second one. */
const pathOf = (number: number, at: number): string => (at % 3 === 0 ? `same/${at}.ts` : `${number % 2}/${at}.ts`);

const pathsOf = (number: number): readonly string[] => Array.from({ length: count }, (_, at) => pathOf(number, at));

/** The word that each file of a generation contains. */
export const wordOf = (number: number): string => `generation-${number}-`;

/** The sorted paths of a whole generation. */
export const wholeOf = (number: number): readonly string[] => pathsOf(number).toSorted();

/** Removes the files of the generation before, and stores those of this one. */
export const generation = (number: number): IndexChanges => ({
  removed: pathsOf(number - 1),
  files: pathsOf(number).map((path) => file(path, `${wordOf(number)} ${'some more text '.repeat(50)}`)),
});
