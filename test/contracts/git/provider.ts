// The interface of a provider in the contract suite of `GitBackend`, and helpers of its checks.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitBackend } from '#core/repositories/git/git-backend';
import { makeHistory } from './history.ts';
import { serve, type GitServer } from './http-server.ts';
import { git, must } from './stock-git.ts';

/** A git back end that the contract suite runs on. */
export interface GitBackendUnderTest {
  readonly backend: GitBackend;
  /** Running processes and temporary objects of clones and pushes, each described in words. */
  traces(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export type MakeGitBackend = (root: string) => Promise<GitBackendUnderTest>;

/** A provider behind a server, with a repository that holds the history of `history.ts`. */
export interface Bench extends GitBackendUnderTest {
  readonly server: GitServer;
  /** A folder for clients. */
  readonly folder: string;
  /** The repository that the history was made in; stock git reads it for comparison. */
  readonly source: string;
  /** The id of the same history behind the port. */
  readonly filled: string;
  dispose(): Promise<void>;
}

export async function openBench(make: MakeGitBackend): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-git-'));
  const provider = await make(join(folder, 'root'));
  await provider.backend.sweep();
  const server = await serve(provider.backend);
  const source = await makeHistory(join(folder, 'source.git'));
  const filled = newId();
  await provider.backend.create(filled, { defaultBranch: 'main' });
  await must(source, ['push', '-q', '--mirror', server.url(filled)]);
  return {
    ...provider,
    server,
    folder,
    source,
    filled,
    dispose: async () => {
      await server.stop();
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates an empty repository behind the port. @returns its id. */
export async function fresh({ backend }: Bench): Promise<string> {
  const id = newId();
  await backend.create(id, { defaultBranch: 'main' });
  return id;
}

/** A client's repository with a commit for each content of `file` on `main`; `origin` is the server. */
export async function client(bench: Bench, repository: string, contents: readonly string[] = ['one']): Promise<string> {
  const folder = await mkdtemp(join(bench.folder, 'client-'));
  await must(folder, ['init', '-q', '-b', 'main', '.']);
  await must(folder, ['remote', 'add', 'origin', bench.server.url(repository)]);
  for (const content of contents) await commitFile(folder, 'file', content);
  return folder;
}

export async function commitFile(folder: string, name: string, content: string | Buffer): Promise<string> {
  await writeFile(join(folder, name), content);
  await must(folder, ['add', '--', name]);
  await must(folder, ['commit', '-q', '-m', `Write ${name}`]);
  return await must(folder, ['rev-parse', 'HEAD']);
}

export const newId = (): string => randomUUID();

/** Resolves when `met` returns true. Rejects after 8 seconds with the last value of `what`. */
export async function eventually(
  met: () => Promise<boolean> | boolean,
  what: () => Promise<unknown> | unknown,
): Promise<void> {
  for (let tried = 0; tried < 400; tried += 1) {
    if (await met()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`never came about: ${JSON.stringify(await what())}`);
}

export async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export const never = new AbortController().signal;

/** A client's repository whose files are made by one fast-import, pushed. */
export async function imported(bench: Bench, repository: string, script: string): Promise<string> {
  const folder = await client(bench, repository, []);
  const { code, stderr } = await git(folder, ['fast-import', '--quiet', '--date-format=raw'], { input: script });
  assert.equal(code, 0, stderr);
  await must(folder, ['push', '-q', 'origin', 'main']);
  return folder;
}
