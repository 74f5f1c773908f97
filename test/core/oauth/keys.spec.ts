// Stored signing keys: each is sealed for its own row, and resealed after a rotation of the instance key.
import { createPublicKey, verify } from 'node:crypto';
import t from 'tap';
import { rsaSigner } from '#adapters/crypto/oauth';
import { aesSealer } from '#adapters/crypto/sealer';
import { fixedClock, openMemory } from '#adapters/memory/index';
import { systemIds } from '#adapters/system/time';
import { memoryRows } from '#adapters/memory/rows';
import type { KeptKey } from '#core/oauth/index';
import { signingKeys } from '#core/oauth/tokens/keys';
import { quietLog } from '#test/contracts/storage/storage-engines';

const secret = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

/** @param ring the keys of the instance, newest first; it may change. */
function world(ring: Uint8Array[]) {
  const clock = fixedClock('2030-01-01T00:00:00Z');
  const { database, unitOfWork, locks } = openMemory({ clock, ids: systemIds, log: quietLog });
  const rows = memoryRows(database.table<KeptKey>('oauth_server_key', { key: 'id' }), ({ id }) => id);
  const sealer = aesSealer({ all: () => ring, reload: () => undefined });
  const keys = signingKeys({ keys: rows, signer: rsaSigner, sealer, locks, unitOfWork, ids: systemIds });
  const all = () => rows.find({ where: {}, orderBy: ['id'] });
  return { keys, rows, unitOfWork, all, now: clock.now() };
}

void t.test('resealed keys no longer need the old instance key', async (t) => {
  const ring = [secret(1)];
  const { keys, now } = world(ring);
  await keys.published(now);
  await keys.rotate(now, true);
  t.equal(await keys.sealed.reseal(), 0, 'none is outdated before the rotation');
  ring.unshift(secret(2));
  const published = await keys.published(now);
  t.equal(await keys.sealed.reseal(), 2, 'keys that no longer sign are published and resealed too');
  t.equal(await keys.sealed.reseal(), 0);
  ring.pop();
  const [header = '', claims = '', signature = ''] = (await (await keys.signing(now))({ sub: 'ada' })).split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
  const jwk = published.find((key) => key.kid === kid);
  t.ok(jwk, 'the key is the same');
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  t.ok(verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url')));
});

void t.test('a key that cannot be opened is unchanged, and the others are resealed', async (t) => {
  const ring = [secret(1)];
  const { keys, now, all } = world(ring);
  await keys.published(now);
  const [lost] = await all();
  ring.splice(0, 1, secret(2));
  await keys.rotate(now, true);
  ring.unshift(secret(3));
  t.equal(await keys.sealed.reseal(), 1);
  t.strictSame(
    (await all()).find(({ id }) => id === lost?.id),
    lost,
  );
});

void t.test('a sealed key that was moved to another row cannot sign', async (t) => {
  const { keys, rows, unitOfWork, now, all } = world([secret(1)]);
  await keys.published(now);
  await keys.rotate(now, true);
  const [one, other] = await all();
  const moved = { sealed: other?.sealed ?? '' };
  await unitOfWork.run(() => rows.update({ id: one?.id ?? '' }, moved));
  await unitOfWork.run(() => rows.update({ id: other?.id ?? '' }, { sealed: one?.sealed ?? '' }));
  await t.rejects(keys.signing(now), { code: 'internal' });
});

void t.test('a key is published for two days after its replacement, however many replacements followed', async (t) => {
  const { keys, now } = world([secret(1)]);
  const at = (hours: number): Date => new Date(now.getTime() + hours * 3_600_000);
  const kids = async (hours: number) => (await keys.published(at(hours))).map(({ kid }) => kid);
  const [first] = await kids(0);
  const second = (await keys.rotate(at(1), true))?.kid;
  const third = (await keys.rotate(at(2), true))?.kid;
  t.strictSame(await kids(2), [third, second, first]);
  await keys.rotate(at(48));
  t.strictSame(await kids(48), [third, second, first]);
  await keys.rotate(at(49));
  t.strictSame(await kids(49), [third, second]);
  await keys.rotate(at(50));
  t.strictSame(await kids(50), [third]);
});
