// A small history with everything that is hard for readers of commits, pushed into a repository of a test forge.
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestForge, TestUser, Teardown } from '../forge.ts';
import { remote, stockGit, workTree, type StockGit } from '../servers/stock-git.ts';

/**
 * Pushes merges, a rename, a removal, a link, a submodule, binary and non-UTF-8 content, a branch with a slash and one
 * without a common ancestor.
 */
export async function pushHistory(
  t: Teardown,
  forge: TestForge,
  owner: TestUser,
  repository: string,
): Promise<StockGit> {
  // Each commit has its own time, because histories are listed by date.
  let second = 1_700_000_000;
  const home = await stockGit(t, { GIT_AUTHOR_NAME: 'Grace "Ho" O\'Per', GIT_AUTHOR_EMAIL: 'grace+h@example.org' });
  const work = await workTree(home, 'history');
  const commit = async (message: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<string> => {
    const made = await work.commit(message, files);
    second += 60;
    await work.git(
      '-c',
      'user.useConfigOnly=false',
      'commit',
      '--quiet',
      '--amend',
      '--no-edit',
      `--date=@${second} +0200`,
    );
    return made;
  };
  await commit('Begin\n\nwith a body\n\nand a tail', {
    'README.md': '# One\n',
    'src/main.ts': 'let a = 1;\nlet b = 2;\nlet c = 3;\nlet d = 4;\nlet e = 5;\n',
    'src/style.css': 'a {}\n',
    'bin/data.bin': new Uint8Array([0, 1, 2, 255]),
  });
  await work.git('tag', 'v1');
  await commit('Ändere die Datei', {
    'src/main.ts': 'let a = 1;\nlet b = 22;\nlet c = 3;\nlet d = 4;\nlet e = 5;\n',
    'latin.txt': new Uint8Array([0x63, 0xe9, 0x0a, 0x78]),
  });
  await work.git('checkout', '--quiet', '-b', 'feature/x');
  await commit('On the side', {
    'side.py': 'print(1)\n',
    'src/main.ts': 'let a = 1;\nlet b = 22;\nlet c = 3;\nlet d = 4;\nlet e = 55;\n',
  });
  await work.git('checkout', '--quiet', 'main');
  await commit('On main', { 'größe und maß.txt': 'ab\n' });
  await work.git('merge', '--quiet', '--no-ff', '--no-edit', '-m', 'Merge the side', 'feature/x');
  await work.git('mv', 'src/main.ts', 'src/moved.ts');
  await rm(join(work.folder, 'src/style.css'));
  await symlink('README.md', join(work.folder, 'link'));
  await work.git('add', '--all');
  await work.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
  await work.git('update-index', '--chmod=+x', 'bin/data.bin');
  await work.git('commit', '--quiet', '--message', 'Move, remove, link');
  await work.git('checkout', '--quiet', '--orphan', 'island');
  await work.git('rm', '-r', '--quiet', '--force', '--ignore-unmatch', '.');
  await work.git('clean', '-fdq');
  await work.commit('An island', { 'island.go': 'package island\n' });
  await work.git('checkout', '--quiet', '--force', 'main');
  const url = remote(forge.url, `${owner.username}/${repository}`, owner);
  await work.git('push', '--quiet', url, '--all');
  await work.git('push', '--quiet', url, '--tags');
  return work;
}
