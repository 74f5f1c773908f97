// The starting point of specs of the search: people, repositories with files, and functions that search until the index
// has followed.
import type { Test } from 'tap';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Client } from '#test/support/clients/client';
import type { TestForge, TestUser } from '#test/support/forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';

export const repos = '/api/v1/repos';

export interface Hit {
  readonly id: string;
  readonly score: number;
  readonly source: Readonly<Record<string, unknown>>;
}
export interface Section {
  readonly total: number;
  readonly hits: readonly Hit[];
}
export type Sections = Readonly<Record<'code' | 'symbols' | 'issues' | 'mrs' | 'docs', Section>>;

export const empty: Section = { total: 0, hits: [] };

/** @throws {Error} if the answer has another status. */
export function expect(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`answered ${answer.status} instead of ${status}: ${answer.text}`);
}

/** Creates a repository with these files. */
export async function repositoryOf(
  client: Client,
  owner: string,
  name: string,
  files: Readonly<Record<string, string>>,
  visibility = 'public',
): Promise<string> {
  const { body } = expect(await client.post(repos, { body: { name, visibility } }), 201);
  for (const [path, content] of Object.entries(files)) await put(client, `${owner}/${name}`, path, content);
  return (body as { readonly id: string }).id;
}

/** Creates or replaces a file on the default branch. */
export async function put(client: Client, repository: string, path: string, content: string): Promise<void> {
  const url = `${repos}/${repository}/contents/${path.split('/').map(encodeURIComponent).join('/')}`;
  const before = await client.get(`${repos}/${repository}/contents/${path}`);
  const sha = (before.body as { readonly sha?: string } | undefined)?.sha;
  const body = {
    message: `Write ${path}`,
    content: Buffer.from(content).toString('base64'),
    branch: 'main',
    ...(before.status === 200 && sha !== undefined && { sha }),
  };
  const answer = await client.put(url, { body });
  if (answer.status !== 200 && answer.status !== 201) throw new Error(`PUT ${path}: ${answer.status} ${answer.text}`);
}

/** Searches, without a check of the status. */
export const ask = (client: Client, q: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  client.get(`/api/v1/search?${new URLSearchParams({ q, ...more })}`);

/** The sections of a search that answers 200. */
export const search = async (
  client: Client,
  q: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Sections> => expect(await ask(client, q, more), 200).body as Sections;

/** Repeats a read until it passes, because the index follows changes within seconds. */
export async function eventually<T>(read: () => Promise<T>, passes: (value: T) => boolean, seconds = 10): Promise<T> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const value = await read();
    if (passes(value)) return value;
    if (Date.now() > until) throw new Error(`still ${JSON.stringify(value)?.slice(0, 2000)}`);
    await pause(100);
  }
}

export interface World {
  readonly forge: TestForge;
  readonly alice: Client;
  readonly bob: Client;
  readonly users: Readonly<Record<'alice' | 'bob', TestUser>>;
}

export async function people(t: Test, forge: TestForge): Promise<World> {
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  t.ok(alice.id !== bob.id);
  return { forge, alice: alice.client, bob: bob.client, users: { alice, bob } };
}

/** A work tree of a repository, and its push. */
export interface Checkout {
  readonly work: StockGit;
  /** Commits these files, and pushes all that the work tree has. */
  push(files?: Readonly<Record<string, string | Uint8Array>>, ...options: readonly string[]): Promise<void>;
}

/** Creates a repository, without a commit. */
export async function checkout(
  t: Test,
  { forge, users }: World,
  name: string,
  { owner = 'alice', visibility = 'public' }: { readonly owner?: 'alice' | 'bob'; readonly visibility?: string } = {},
): Promise<Checkout> {
  expect(await users[owner].client.post(repos, { body: { name, visibility } }), 201);
  const work = await workTree(await stockGit(t), 'work');
  const url = remote(forge.url, `${owner}/${name}`, users[owner]);
  return {
    work,
    async push(files = {}, ...options) {
      if (Object.keys(files).length > 0) await work.commit('Files', files);
      await work.git('push', '--quiet', ...options, url, '--all');
    },
  };
}

/** Opens an issue. @returns its number. */
export const issue = async (client: Client, repository: string, title: string, description = ''): Promise<number> =>
  (
    expect(
      await client.post(`${repos}/${repository}/issues`, { body: { title, description, issue_type_id: task } }),
      201,
    ).body as { readonly number: number }
  ).number;
const task = '00000000-0000-4000-8000-000000000003';

/** Opens a merge request of a new branch. @returns its number. */
export async function mergeRequest(
  client: Client,
  repository: string,
  branch: string,
  title: string,
  description = '',
): Promise<number> {
  const url = `${repos}/${repository}`;
  expect(await client.post(`${url}/branches`, { body: { name: branch, base_ref: 'main' } }), 201);
  const content = Buffer.from(`${branch}\n`).toString('base64');
  expect(await client.put(`${url}/contents/${branch}.txt`, { body: { message: 'Add', branch, content } }), 201);
  const body = { title, description, source_branch: branch, target_branch: 'main' };
  return (expect(await client.post(`${url}/merges`, { body }), 201).body as { readonly number: number }).number;
}

/** Sets the repositories whose Markdown is documentation. */
export async function setDocs(forge: TestForge, value: string): Promise<void> {
  const admin = await forge.administrator();
  expect(await admin.put('/api/v1/admin/settings/search.docs.repositories', { body: { value } }), 200);
}

export const pathsOf = ({ hits }: Section): readonly unknown[] => hits.map(({ source }) => source['path']);

/** Searches until the code section has exactly these paths, in any order. */
export const filesOf = (client: Client, q: string, ...paths: readonly string[]): Promise<Sections> =>
  eventually(
    () => search(client, q),
    ({ code }) => JSON.stringify(pathsOf(code).toSorted()) === JSON.stringify([...paths].toSorted()),
  );
