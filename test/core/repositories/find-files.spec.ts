// Finding files by parts of their paths: the order of results, and the bounds of a listing.
import t from 'tap';
import type { Granted } from '#core/kernel/access/access';
import { findFiles } from '#core/repositories/contents/find-files';
import type { GitBackend, Repository } from '#core/repositories/index';

const granted = { resource: { id: 'one' } } as unknown as Granted<Repository, 'repo.read'>;

function world(paths: readonly string[]) {
  const asked = { listings: 0 };
  const git: Pick<GitBackend, 'resolveCommit' | 'sizes'> = {
    resolveCommit: async (_repository, ref) => (ref === 'main' ? 'f'.repeat(40) : undefined),
    async sizes(_repository, _commit, group) {
      asked.listings += 1;
      for (const path of paths) group(path);
      return new Map();
    },
  };
  const find = findFiles({ git: git as GitBackend });
  return { asked, find: (q: string, limit = 10) => find(granted, { ref: 'main', q, limit }) };
}

void t.test('names with the first word are first, then shorter paths, then the order of git', async (t) => {
  const { find } = world(['word/a.ts', 'other/long-WORD.ts', 'b/Word.ts', 'word/b.ts', 'word/deep/c.ts', 'x/word.ts']);
  t.strictSame(await find('word'), {
    paths: ['b/Word.ts', 'x/word.ts', 'other/long-WORD.ts', 'word/a.ts', 'word/b.ts', 'word/deep/c.ts'],
    truncated: false,
  });
  t.strictSame(await find('word deep ts'), { paths: ['word/deep/c.ts'], truncated: false });
  t.strictSame(await find('word', 1), { paths: ['b/Word.ts'], truncated: true });
  t.strictSame(await find(' ', 2), { paths: ['word/a.ts', 'other/long-WORD.ts'], truncated: true });
  t.strictSame(await find('nothing'), { paths: [], truncated: false });
  t.strictSame(await find('word/b'), { paths: ['word/b.ts'], truncated: false }, 'a word with a slash');
});

void t.test('the longest listing is read once', async (t) => {
  const long = 'x'.repeat(4000);
  const { find, asked } = world(Array.from({ length: 3000 }, (_, index) => `${long}-${index}`));
  t.match(await find('-1'), { truncated: true });
  t.strictSame((await find('-2999')).paths, [], 'beyond six million characters');
  t.equal((await find('-1400')).paths.length, 1);
  t.equal(asked.listings, 1);
});
