// Contract checks for the ports that issue credentials for accounts: Vouching, IssuedCredentials, SigningKeyRotation;
// and for AuditTrail.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { IssuedCredentials, Vouching } from '#core/identity/index';
import type { AuditEntry, AuditLog } from '#core/kernel/services/audit';
import type { AuditTrail } from '#core/kernel/services/audit-trail';
import type { SigningKeyRotation } from '#core/kernel/services/signing-keys';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Check } from './checks.ts';

export interface VouchingUnderTest {
  readonly vouching: Vouching;
  readonly unitOfWork: UnitOfWork;
  /** An account that may sign in, and one of its live sessions. */
  readonly user: { readonly id: string; readonly username: string };
  readonly sessionId: string;
  /** An account that may not sign in. */
  readonly suspended: { readonly id: string };
  readonly now: Date;
}

export const vouchingChecks: readonly Check<VouchingUnderTest>[] = [
  {
    name: 'returns an account with its address, locked or not; undefined for one that may not sign in or does not exist',
    async run({ vouching, unitOfWork, user, suspended }) {
      const claims = await vouching.claims(user.id);
      assert.deepEqual([claims?.id, claims?.username], [user.id, user.username]);
      assert.match(claims?.email ?? '', /@/);
      assert.ok(claims?.updatedAt instanceof Date);
      assert.deepEqual(await unitOfWork.run(() => vouching.held(user.id)), claims);
      for (const id of [suspended.id, randomUUID()]) {
        assert.equal(await vouching.claims(id), undefined);
        assert.equal(await unitOfWork.run(() => vouching.held(id)), undefined);
      }
    },
  },
  {
    name: 'returns the start of a session while it is live',
    async run({ vouching, sessionId, now }) {
      const began = await vouching.signedInAt(sessionId, now);
      assert.ok(began !== undefined && began <= now);
      assert.equal(await vouching.signedInAt(randomUUID(), now), undefined);
      assert.equal(await vouching.signedInAt(sessionId, new Date('9999-01-01')), undefined);
    },
  },
];

export interface IssuedCredentialsUnderTest {
  readonly issued: IssuedCredentials;
  readonly unitOfWork: UnitOfWork;
  /** Issues one credential for a new account. @returns the id of the account. */
  issue(): Promise<string>;
}

export const issuedCredentialsChecks: readonly Check<IssuedCredentialsUnderTest>[] = [
  {
    name: 'revokes and counts all credentials of an account once; those of other accounts remain',
    async run({ issued, unitOfWork, issue }) {
      const [one, other] = [await issue(), await issue()];
      const revoke = (id: string) => unitOfWork.run(() => issued.revokeAll(id));
      assert.ok((await revoke(one)) > 0);
      assert.equal(await revoke(one), 0);
      assert.equal(await revoke(randomUUID()), 0);
      assert.ok((await revoke(other)) > 0);
      assert.match(issued.what, /^[a-z]+(_[a-z]+)*$/);
    },
  },
  {
    name: 'a rollback leaves the credentials valid',
    async run({ issued, unitOfWork, issue }) {
      const id = await issue();
      const undone = unitOfWork.run(async () => {
        await issued.revokeAll(id);
        throw new Error('undone');
      });
      await assert.rejects(undone, /undone/);
      assert.ok((await unitOfWork.run(() => issued.revokeAll(id))) > 0);
    },
  },
];

export const signingKeyRotationChecks: readonly Check<SigningKeyRotation>[] = [
  {
    name: 'each rotation makes another key',
    async run(keys) {
      const [one, other] = [await keys.rotate(), await keys.rotate()];
      assert.notEqual(one.kid, '');
      assert.notEqual(one.kid, other.kid);
    },
  },
];

export interface AuditTrailUnderTest {
  readonly trail: AuditTrail;
  /** The audit log that the trail reads. */
  readonly log: AuditLog;
}

export const auditTrailChecks: readonly Check<AuditTrailUnderTest>[] = [
  {
    name: 'returns the entries of a resource in pages, newest first, and none of another resource',
    async run({ trail, log }) {
      const resource = `contract:${randomUUID()}`;
      const entry: AuditEntry = {
        actorId: undefined,
        actorUsername: 'ada',
        action: 'user.created',
        resource,
        ip: '192.0.2.1',
        userAgent: 'contract',
        details: { n: 1 },
        at: new Date('2026-01-02T03:04:05.678Z'),
      };
      await log.append(entry);
      await log.append({ ...entry, action: 'user.updated' });
      await log.append({ ...entry, resource: `${resource}0` });
      const { items, total } = await trail.about(resource, { page: 1, perPage: 25 });
      assert.equal(total, 2);
      assert.deepEqual(
        items.map(({ action }) => action),
        ['user.updated', 'user.created'],
      );
      const [, { id, ...first } = { id: 0 }] = items;
      assert.ok(id > 0);
      assert.deepEqual(first, entry);
      assert.equal((await trail.about(resource, { page: 2, perPage: 1 })).items[0]?.action, 'user.created');
      assert.deepEqual((await trail.about('contract:none', { page: 1, perPage: 25 })).items, []);
    },
  },
];
