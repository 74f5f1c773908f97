// Tests when a proof for one permission is accepted instead of another. The type check tests the types. The access
// decision is asked whether they hold for a custom role too.
import t from 'tap';
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import type { Repository } from '#core/repositories/index';
import '#core/issues/index';
import '#core/merges/index';
import { alice, bob, refusal, world } from './world.ts';

declare module '#core/kernel/access/access' {
  interface Permissions {
    'sample.ring': 'repository';
  }
}

type Proof<P extends string> = Granted<Repository, P, User>;
const reading = (_: Granted<Repository, 'repo.read'>): void => undefined;
const writing = (_: Proof<'repo.write'>): void => undefined;
const triaging = (_: Proof<'issue.write'>): void => undefined;
const anything = (_: Granted<Repository, string>): void => undefined;

/** Never called: only its types are checked. */
export function accepted(proofs: {
  readonly read: Granted<Repository, 'repo.read'>;
  readonly write: Proof<'repo.write'>;
  readonly issues: Proof<'issue.write'>;
  readonly admin: Proof<'repo.admin'>;
  readonly own: Proof<'repo.own'>;
  readonly ring: Proof<'sample.ring'>;
  readonly either: Proof<'repo.write' | 'issue.write'>;
  readonly any: Granted<Repository, string, User>;
  readonly other: Granted<{ readonly id: string }, 'repo.write', User>;
}): void {
  for (const granted of [proofs.write, proofs.issues, proofs.admin, proofs.own, proofs.ring, proofs.either])
    reading(granted);
  for (const granted of [proofs.write, proofs.own]) writing(granted);
  for (const granted of [proofs.issues, proofs.own]) triaging(granted);
  for (const granted of [proofs.read, proofs.write, proofs.ring]) anything(granted);
  // @ts-expect-error reading includes no other permission
  writing(proofs.read);
  // @ts-expect-error a custom role may have repo.write without issue.write
  triaging(proofs.write);
  // @ts-expect-error a custom role may have repo.admin without repo.write
  writing(proofs.admin);
  // @ts-expect-error one of the two does not include the other
  writing(proofs.either);
  // @ts-expect-error any permission
  reading(proofs.any);
  // @ts-expect-error a proof about another thing
  reading(proofs.other);
}

void t.test('what the types accept is true for owners and for custom roles', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'secret' });
  const put = (permissions: readonly string[]) =>
    forge.storage.unitOfWork.run(() =>
      forge.collaborators.put(repository.id, bob.id, { role: 'custom', permissions }, new Date()),
    );
  await put(['repo.write']);
  await t.rejects(forge.granted(bob, 'repo.write', repository), refusal('not_found'), 'nothing without reading');
  await put(['repo.write', 'repo.read']);
  const granted = await forge.granted(bob, 'repo.write', repository);
  t.same([granted.may('repo.read'), granted.may('issue.write')], [true, false]);
  const own = await forge.granted(alice, 'repo.own', repository);
  t.ok(['repo.admin', 'repo.write', 'issue.write', 'merge.merge'].every((permission) => own.may(permission)));
});
