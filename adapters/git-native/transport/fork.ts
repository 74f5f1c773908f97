// Forks a repository: fetches the branches and tags of one repository on this disk into a new one, without alternates
// or shared files.
import { Internal } from '#core/kernel/errors';
import { hiddenRefs, packingConfig, type GitConfig } from '../process/environment.ts';
import type { TransferParts } from './large-transfers.ts';
import { receiveConfig } from './smart-http.ts';
import { syncAllRefs } from '#adapters/git-common/files/durable-files';
import type { RepositoryLocation } from '../storage/repositories.ts';

const refspecs = ['refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'];

/** The checks of pushes, so that a fork of content accepted by a push passes them. */
function fetchConfig(pushBytes: number): GitConfig {
  const asPushed = Object.entries(receiveConfig(pushBytes))
    .filter(([key]) => key.startsWith('receive.fsck'))
    .map(([key, value]) => [key.replace('receive.', 'fetch.'), value]);
  return {
    ...Object.fromEntries(asPushed),
    'fetch.unpackLimit': '1',
    'fetch.writeCommitGraph': 'false',
    // For this command only: all other commands allow no transport.
    'protocol.file.allow': 'always',
  };
}

/**
 * Everything it fetches is on disk when it resolves.
 * @param target an empty repository.
 */
export async function fetchFork(
  { processes, transfers, largeTransfer, limits }: TransferParts,
  source: RepositoryLocation,
  target: RepositoryLocation,
  signal: AbortSignal,
): Promise<void> {
  const args = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--atomic',
    // git does not pass our configuration to processes in another repository, so it is repeated for the one that reads
    // there.
    `--upload-pack=${quoted(processes.path)} ${settings(sendingConfig)} upload-pack`,
    // A path rather than a URL: git would decode escape sequences in a URL.
    source.directory,
    ...refspecs,
  ];
  const work = () =>
    processes.runIn(target, args, {
      config: fetchConfig(limits.pushBytes),
      deadlineMs: limits.transferSeconds * 1000,
      maxOutput: 1024 ** 2,
      budget: 'transfers',
      signal,
    });
  const release = await largeTransfer(source, signal);
  const { code, stderr } = await transfers.run(work, signal).finally(release);
  if (code !== 0)
    throw new Internal(`git fetch from repository "${source.id}" into its fork "${target.id}" failed`, {
      detail: stderr,
    });
  await syncAllRefs(target.directory, ['objects/pack']);
}

const sendingConfig: GitConfig = { ...packingConfig, 'safe.directory': '*', 'transfer.hideRefs': hiddenRefs };

const settings = (config: GitConfig): string =>
  Object.entries(config)
    .map(([key, value]) => `-c ${quoted(`${key}=${value}`)}`)
    .join(' ');

/** Quotes a word for the shell through which git starts it. */
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
