// Tests that a power failure loses no acknowledged write, and that the simulation detects a loss.
import t from 'tap';
import { testEngines } from '#test/contracts/storage/storage-engines';
import { blockLoss } from './block-loss.ts';

if (testEngines().includes('embedded')) {
  void t.test('power failures', { timeout: 240_000 }, async (t) => {
    await t.test('6 power failures lose no acknowledged write', { timeout: 200_000 }, async (t) => {
      const { acknowledged, faults } = await blockLoss(6);
      t.strictSame(faults, []);
      t.ok(acknowledged > 50, `${acknowledged} rows acknowledged`);
    });

    await t.test('without fsync acknowledged writes are lost', { timeout: 100_000 }, async (t) => {
      const { faults } = await blockLoss(3, 'default');
      t.ok(faults.length > 0, faults.join('; '));
    });
  });
}
