// Moves refs by compare-and-swap in one `git update-ref` transaction, and writes the objects of annotated tags.
import { Internal, Unavailable, ValidationFailed } from '#core/kernel/errors';
import { trim } from '#core/kernel/trim';
import { zeroOid, type Oid, type RefUpdate } from '#core/repositories/git/git-backend';
import type { Moving, NewTag } from '#core/repositories/git/git-refs';
import type { Foundation } from '../foundation.ts';
import { spentAccordingTo } from '../process/exhausted-resources.ts';
import { syncRefs } from '#adapters/git-common/files/durable-files';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { isLegalName, isLegalRef, isOid } from '#adapters/git-common/names';
import { WithParts } from '../with-parts.ts';

export class RefMover extends WithParts<Foundation> {
  async move(location: RepositoryLocation, updates: readonly RefUpdate[]): Promise<Moving> {
    // With `-z`, NUL ends a name, so the name may contain any other character.
    const input = ['start\0', ...updates.map(command), 'prepare\0', 'commit\0'].join('');
    // The answer of git is judged after the change has ended, because a git that exits by itself leaves no lock.
    const { code, stdout, stderr } = await this.parts.changes.during(location, ['refs'], () =>
      this.#git(location, ['update-ref', '-z', '--no-deref', '--stdin'], input),
    );
    if (code === 0) {
      await syncRefs(
        location.directory,
        updates.map(({ ref }) => ref),
      );
      return 'moved';
    }
    const spent = spentAccordingTo(stderr, location.directory);
    if (spent !== undefined) throw spent;
    // After `prepare` every lock is held and every old value compared; before it nothing has moved.
    if (stdout.includes('prepare: ok'))
      throw new Internal(`git update-ref failed in repository "${location.id}"`, { detail: stderr });
    if (/cannot create|there is a non-empty directory|cannot process '/.test(stderr)) return 'in-the-way';
    if (/but expected|reference already exists|unable to resolve reference|reference is missing/.test(stderr))
      return 'stale';
    if (/Unable to create '|File exists/.test(stderr))
      throw new Unavailable('Another process is changing the same branch or tag', { detail: 'Try again' });
    throw new Internal(`git update-ref failed in repository "${location.id}"`, { detail: stderr });
  }

  async writeTag(location: RepositoryLocation, tag: NewTag): Promise<Oid> {
    return await this.parts.changes.during(location, ['objects'], () => this.#writeTag(location, tag));
  }

  async #writeTag(location: RepositoryLocation, tag: NewTag): Promise<Oid> {
    if (!isLegalName('tag', tag.name) || !isOid(tag.commit))
      throw new ValidationFailed('The tag has a name git does not allow', {
        detail: `name: ${JSON.stringify(tag.name.slice(0, 200))}`,
      });
    const { name, email, date } = tag.tagger;
    const text = [
      `object ${tag.commit}`,
      'type commit',
      `tag ${tag.name}`,
      `tagger ${plain(name) || 'unknown'} <${plain(email)}> ${Math.floor(date.getTime() / 1000)} +0000`,
      '',
      `${tag.message.replaceAll('\0', '').trimEnd()}\n`,
    ].join('\n');
    const { code, stdout, stderr } = await this.#git(location, ['mktag'], text);
    const oid = stdout.trim();
    if (code !== 0 || !isOid(oid))
      throw new Internal(`git mktag failed in repository "${location.id}"`, { detail: stderr });
    await syncRefs(location.directory, [], ['objects', `objects/${oid.slice(0, 2)}`]);
    return oid;
  }

  async #git(
    location: RepositoryLocation,
    args: readonly string[],
    input: string,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
    // Not aborted when the caller leaves: a change that was requested is completed.
    const { interactive, processes, limits } = this.parts;
    const { stdout, ...ran } = await interactive.run(() =>
      processes.runIn(location, args, {
        urgent: true,
        deadlineMs: limits.readSeconds * 1000,
        input: Buffer.from(input.toWellFormed()),
      }),
    );
    return { ...ran, stdout: stdout.toString('latin1') };
  }
}

function command({ ref, old, new: next }: RefUpdate): string {
  if (!isLegalRef(ref) || !ref.startsWith('refs/') || !isOid(old) || !isOid(next))
    throw new ValidationFailed('A ref cannot be moved so', { detail: `ref: ${JSON.stringify(ref.slice(0, 200))}` });
  if (next === zeroOid) return `delete ${ref}\0${old}\0`;
  return old === zeroOid ? `create ${ref}\0${next}\0` : `update ${ref}\0${next}\0${old}\0`;
}

/** Removes what git leaves out of a name or address, and what would end its line. */
const plain = (text: string): string =>
  trim(text.replaceAll(/[<>\p{Cc}]/gu, ''), (character) => ' .,:;"\'\\'.includes(character));
