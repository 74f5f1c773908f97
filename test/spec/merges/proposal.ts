// Makes a merge request as its author does: pushes two branches with stock git and opens the request.
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Teardown, TestForge, TestUser } from '#test/support/forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';

export interface FileJson {
  readonly old_path: string;
  readonly new_path: string;
  readonly old_mode?: string;
  readonly new_mode?: string;
  readonly is_binary: boolean;
  readonly is_add: boolean;
  readonly is_delete: boolean;
  readonly is_rename: boolean;
  readonly additions: number;
  readonly deletions: number;
  readonly suppressed: boolean;
  readonly suppressed_reason?: string;
}

export interface DiffJson {
  readonly number: number;
  readonly commits_count: number;
  readonly additions: number;
  readonly deletions: number;
  readonly diff: string;
  readonly diff_suppressed: boolean;
  readonly diff_suppressed_reason?: string;
  readonly files?: readonly FileJson[];
  readonly diff_caps?: object;
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A change of a work tree, committed. */
export type Change = (work: StockGit) => Promise<unknown>;

export interface Proposal {
  readonly work: StockGit;
  readonly number: number;
  /** The API path: `/api/v1/repos/alice/code/merges/1`. */
  readonly path: string;
  push(branch: string): Promise<void>;
}

/** A request of `topic` into `main`, in a new public repository. */
export async function proposal(
  t: Teardown,
  forge: TestForge,
  owner: TestUser,
  name: string,
  before: Files,
  ...changes: readonly Change[]
): Promise<Proposal> {
  const repository = `/api/v1/repos/${owner.username}/${name}`;
  await owner.client.post('/api/v1/repos', { body: { name, visibility: 'public' } });
  const work = await workTree(await stockGit(t), name);
  await work.commit('Begin', before);
  await work.git('checkout', '--quiet', '-b', 'topic');
  for (const change of changes) await change(work);
  const push = async (branch: string): Promise<void> => {
    await work.git('push', '--quiet', '--force', remote(forge.url, `${owner.username}/${name}`, owner), branch);
  };
  await push('main');
  await push('topic');
  const opened = await owner.client.post(`${repository}/merges`, {
    body: { title: name, source_branch: 'topic', target_branch: 'main' },
  });
  if (opened.status !== 201) throw new Error(opened.text);
  const { number } = opened.body as { readonly number: number };
  return { work, number, path: `${repository}/merges/${number}`, push };
}

/** Writes and commits files. */
export const written =
  (files: Files): Change =>
  (work) =>
    work.commit('Write', files);

const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');
const long = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);

/** Files with every kind of property that git reports of a file. */
export const oddBefore: Files = {
  binary: new Uint8Array([0, 1, 2, 3]),
  crlf: 'one\r\ntwo\r\n',
  deleted: 'gone\n',
  executable: '#!/bin/sh\n',
  latin: new Uint8Array([0x63, 0xe9, 0x0a, 0x78, 0x0a]),
  long: lines(...long),
  moved: lines('a', 'b', 'c', 'd', 'e', 'f', 'g'),
  'no newline': 'end',
  typed: 'a file\n',
  'ünï/cödé "quoted"': 'ä\n',
};

export const oddChange: Change = async (work) => {
  await work.git('mv', 'moved', 'elsewhere');
  await work.git('rm', '--quiet', 'deleted', 'typed');
  await symlink('long', join(work.folder, 'typed'));
  await work.git('add', 'typed');
  await work.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
  await work.git('update-index', '--chmod=+x', 'executable');
  await work.commit('Everything', {
    'added empty': '',
    binary: new Uint8Array([0, 1, 2, 4]),
    crlf: 'one\r\nthree\r\n',
    elsewhere: lines('a', 'b', 'c', 'd', 'e', 'F', 'g'),
    latin: new Uint8Array([0x63, 0xe8, 0x0a, 0x78, 0x0a]),
    long: lines('line 0', ...long.slice(0, 20), 'changed', ...long.slice(21)),
    'no newline': 'end\nnow',
    'ünï/cödé "quoted"': 'ö\n',
  });
};

/** The tree after applying a diff to a branch in a repository that lacks the new objects. */
export async function appliedElsewhere(t: Teardown, work: StockGit, branch: string, diff: string): Promise<string> {
  const other = await workTree(await stockGit(t), 'elsewhere');
  await other.git('fetch', '--quiet', '--depth=1', `file://${work.folder}`, branch);
  await other.git('read-tree', 'FETCH_HEAD');
  const patch = join(other.folder, 'patch');
  await writeFile(patch, diff);
  await other.git('apply', '--cached', patch);
  return (await other.git('write-tree')).trim();
}
