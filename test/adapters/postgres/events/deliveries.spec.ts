// Failing handlers and missing plugins, on the engines that open fast.
import t from 'tap';
import { testEngines } from '#test/contracts/storage/storage-engines';
import { deliveriesContract } from './deliveries.ts';

void t.test('failing handlers and missing plugins', { timeout: 120_000 }, (t) =>
  deliveriesContract(
    t,
    testEngines().filter((engine) => engine !== 'embedded'),
  ),
);
