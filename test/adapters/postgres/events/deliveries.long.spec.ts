// Failing handlers and missing plugins on the embedded database, which each check opens again.
import t from 'tap';
import { deliveriesContract } from './deliveries.ts';

void t.test('failing handlers and missing plugins', { timeout: 120_000 }, (t) => deliveriesContract(t, ['embedded']));
