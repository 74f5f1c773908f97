// Tests of which pushes keep approvals where the protection dismisses stale ones: the changed lines and where they are.
import t from 'tap';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';
import { expect, workshop } from '../workshop.ts';

type Lines = readonly string[];

/** A file whose ten blocks are equal, so that the context of a line in one does not differ from that in another. */
const blocks = Array.from({ length: 10 }, () => ['start', 'a', 'b', 'c', 'd', 'e', 'end']).flat();
const added = (lines: Lines, index: number, ...more: Lines): Lines => lines.toSpliced(index, 0, ...more);
/** Adds a line in the middle of a block. */
const changed = (lines: Lines, block: number): Lines => added(lines, block * 7 + 4, 'new');
const top = Array.from({ length: 5 }, (_, index) => `top ${index}`);

/** The target before and after its own push, and the source before and after a push of the author. */
interface Push {
  readonly what: string;
  readonly target?: (lines: Lines) => Lines;
  readonly before?: (lines: Lines) => Lines;
  readonly after: (target: Lines) => Lines;
  readonly how?: 'merge';
  readonly keeps: boolean;
}

const pushes: readonly Push[] = [
  { what: 'another message', after: (lines) => changed(lines, 3), keeps: true },
  { what: 'the same line in another block', after: (lines) => changed(lines, 6), keeps: false },
  { what: 'the same line in the next block', after: (lines) => changed(lines, 4), keeps: false },
  {
    what: 'a rebase onto lines above',
    target: (lines) => added(lines, 0, ...top),
    after: (lines) => added(lines, top.length + 3 * 7 + 4, 'new'),
    keeps: true,
  },
  {
    what: 'a rebase onto lines above, with the line in another block',
    target: (lines) => added(lines, 0, ...top),
    after: (lines) => added(lines, top.length + 4 * 7 + 4, 'new'),
    keeps: false,
  },
  {
    what: 'a rebase that leaves the line at its number, and so in another block',
    target: (lines) => added(lines, 0, 'start', 'a', 'b', 'x', 'd', 'e', 'end'),
    after: (lines) => added(lines, 3 * 7 + 4, 'new'),
    keeps: false,
  },
  {
    what: 'a rebase onto fewer lines above',
    target: (lines) => lines.toSpliced(8, 3, 'x'),
    after: (lines) => added(lines, 3 * 7 + 4 - 2, 'new'),
    keeps: true,
  },
  {
    what: 'a rebase onto lines below',
    target: (lines) => [...lines, ...top],
    after: (lines) => changed(lines, 3),
    keeps: true,
  },
  {
    what: 'a merge of the target, which has lines above and below',
    target: (lines) => [...top, ...lines, ...top],
    after: (lines) => added(lines, top.length + 3 * 7 + 4, 'new'),
    how: 'merge',
    keeps: true,
  },
  {
    what: 'a rebase onto a change of the context',
    target: (lines) => lines.with(3 * 7 + 2, 'B'),
    after: (lines) => changed(lines, 3),
    keeps: false,
  },
  {
    what: 'a rebase of two places onto lines between them',
    target: (lines) => added(lines, 35, ...top),
    before: (lines) => changed(changed(lines, 8), 1),
    after: (lines) => changed(added(lines, top.length + 8 * 7 + 4, 'new'), 1),
    keeps: true,
  },
  {
    what: 'a rebase of two places, one of which moves',
    target: (lines) => added(lines, 35, ...top),
    before: (lines) => changed(changed(lines, 8), 1),
    after: (lines) => changed(added(lines, top.length + 7 * 7 + 4, 'new'), 1),
    keeps: false,
  },
];

void t.test('pushes that keep approvals, and pushes that make them pending', async (t) => {
  const { forge, alice, repository, open, fetch, settled } = await workshop(t);
  const code = await repository('code');
  const carol = await forge.createUser('carol');
  expect(await alice.client.put(`${code}/collaborators/carol`, { body: { role: 'write' } }), 204);
  const work = await workTree(await stockGit(t), 'work');
  const origin = remote(forge.url, 'alice/code', alice);
  await work.git('pull', '--quiet', origin, 'main');
  const root = (await work.git('rev-parse', 'HEAD')).trim();
  const write = (message: string, lines: Lines) => work.commit(message, { 'long.txt': `${lines.join('\n')}\n` });
  const patchId = async (target: string, head: string): Promise<string> => {
    const script = `git -C '${work.folder}' diff '${target}...${head}' | git -C '${work.folder}' patch-id --stable`;
    return (await work.git('-c', `alias.id=!${script}`, 'id')).split(' ')[0] ?? '';
  };

  for (const [index, { what, target = (lines: Lines) => lines, before, after, how, keeps }] of pushes.entries())
    await t.test(`${what}: ${keeps ? 'approvals are kept' : 'approvals are pending'}`, async (t) => {
      const [strict, edit] = [`strict-${index}`, `edit-${index}`];
      await work.git('checkout', '--quiet', '--detach', root);
      const base = await write('Blocks', blocks);
      const first = await write('Change', (before ?? ((lines) => changed(lines, 3)))(blocks));
      await work.git('push', '--quiet', origin, `${base}:refs/heads/${strict}`, `${first}:refs/heads/${edit}`);
      const rules = { dismiss_stale_approvals: true, allow_force_push: true };
      expect(await alice.client.put(`${code}/branches/${strict}/protection`, { body: rules }), 200);
      const { number } = await open(code, { source_branch: edit, target_branch: strict });
      expect(await carol.client.post(`${code}/merges/${number}/reviews`, { body: { state: 'approved' } }), 201);

      await work.git('checkout', '--quiet', '--detach', base);
      const next = await write('Target', target(blocks)).catch(() => base);
      if (how === 'merge') {
        await work.git('checkout', '--quiet', '--detach', first);
        await work.git('merge', '--quiet', '--no-commit', '--strategy=ours', next);
      }
      const second = await write('Change again', after(target(blocks)));
      await work.git('push', '--quiet', origin, `${next}:refs/heads/${strict}`);
      await work.git('push', '--quiet', '--force', origin, `${second}:refs/heads/${edit}`);
      await settled();
      t.match(await fetch(code, number), { reviewers: [{ state: keeps ? 'approved' : 'pending' }] });
      if (keeps) t.equal(await patchId(base, first), await patchId(next, second), 'git finds the same patch');
    });
});
