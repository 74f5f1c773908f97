// The first change of a repository, by a push and over the API, for specs in which git fails.
import type { GitNative } from '#adapters/git-native/index';
import { zeroOid } from '#core/repositories/git/git-backend';
import type { FileWrite, PushHooks } from '#core/repositories/git/git-history';
import { bytesOf, never } from '#test/contracts/git/provider';

/** The id of a commit that no repository has. */
export const oid = '1'.repeat(40);

export const hooks: PushHooks = {
  announced: async () => undefined,
  judge: async (updates) => updates.map(({ ref }) => ({ ref, refusal: undefined })),
  landed: async () => undefined,
  signal: never,
};

const someone = { name: 'a', email: 'a@b', date: new Date(0) };
export const change: FileWrite = {
  ref: 'refs/heads/main',
  parent: zeroOid,
  path: 'file',
  file: { content: Buffer.from('x'), mode: '100644' },
  message: 'one',
  author: someone,
  committer: someone,
};

const pkt = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;

/** @returns the report that a push of `main` receives. */
export async function pushed(native: GitNative, id: string, capabilities: string): Promise<string> {
  const answer = await native.receivePack(id, {
    ...hooks,
    service: 'git-receive-pack',
    protocol: undefined,
    body: (async function* body() {
      yield Buffer.from(`${pkt(`${zeroOid} ${oid} refs/heads/main\0${capabilities}\n`)}0000PACK`);
    })(),
  });
  return (await bytesOf(answer)).toString();
}
