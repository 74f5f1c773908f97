// The contract suite of deliveries on some engines.
import type { Test } from 'tap';
import { contract } from '#test/contracts/checks';
import { deliveriesChecks } from '#test/contracts/storage/deliveries';
import { eachEngine, type EngineName } from '#test/contracts/storage/storage-engines';

export const deliveriesContract = (t: Test, engines: readonly EngineName[]): Promise<void> =>
  eachEngine(
    t,
    async (subtest, _engine, data) => {
      const provider = {
        open: () => data.open({ tuning: { attempts: 3, pause: 5, closing: 20 }, kept: { events: 3, days: 90 } }),
      };
      await contract(subtest, 'deliveries', deliveriesChecks, async () => ({
        provider,
        dispose: async () => undefined,
      }));
    },
    engines,
  );
