// The bytes of objects that only the heads of merge requests keep, each object counted once.
import { mergeRefs } from '#core/repositories/git/git-backend';
import type { Located } from '../storage/visits.ts';
import type { UpkeepGit } from './upkeep-git.ts';

/** git-rev-list(1): the objects of the commits on the standard input that no ref outside of merge requests reaches. */
const args = [
  'rev-list',
  '--objects',
  '--disk-usage',
  '--ignore-missing',
  '--stdin',
  '--not',
  `--exclude=${mergeRefs}/*`,
  '--all',
];

export const ownBytes =
  (git: UpkeepGit): Located<'ownBytes'> =>
  async (location, commits, signal) => {
    const sizes: number[] = [];
    for (const [index, commit] of commits.entries()) {
      const earlier = commits.slice(0, index).map((other) => `^${other}`);
      const input = [...earlier, commit].map((line) => `${line}\n`).join('');
      const { stdout } = await git(location, args, { input, maxCode: 0, signal });
      sizes.push(Number(stdout.toString('latin1')));
    }
    return sizes;
  };
