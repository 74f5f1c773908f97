// Tests of comparing the records of a forge with the answers to its clients: no record is missing or doubled, and the
// moves of a ref form a chain.
import { t } from 'tap';
import type { Records } from '../inspection.ts';
import { Register } from './register.ts';
import { recordFindings } from './verification.ts';
import type { Estate } from './load/workers.ts';

const zeros = '0'.repeat(40);
const ref = 'refs/heads/work-0';
const made = { type: 'user.created', at: new Date(0), payload: { username: 'made-0', repository_id: '' } };
const moved = (old: string, next: string) => ({
  type: 'push',
  at: new Date(0),
  payload: { repository_id: 'home', ref, old, new: next },
});
const records = (events: Records['events'], intents: Records['intents'] = []): Records => ({
  events,
  audit: [{ action: 'user.created', resource: 'user:1', details: { username: 'made-0' } }],
  intents,
});
const estate = { home: 'ada/home', homeId: 'home', root: zeros, refs: new Map([[ref, new Register(ref, 'two')]]) };
const estates = [estate as unknown as Estate];
const promised = (least: number, most: number) => [{ key: 'event user.created made-0', least, most }];

void t.test('a missing record is lost, an additional one is untrue', async (t) => {
  t.strictSame(recordFindings(records([made]), promised(1, 1), []), []);
  t.match(recordFindings(records([]), promised(1, 2), []), [{ kind: 'lost' }]);
  t.match(recordFindings(records([made, made]), promised(1, 1), []), [{ kind: 'untrue' }]);
  t.strictSame(recordFindings(records([made]), promised(0, 1), []), [], 'not acknowledged');
});

void t.test('the moves of a ref form one chain that ends at its current value', async (t) => {
  t.strictSame(recordFindings(records([moved(zeros, 'one'), moved('one', 'two')]), [], estates), []);
  t.match(recordFindings(records([moved(zeros, 'one')]), [], estates), [{ kind: 'lost' }]);
  const twice = [moved(zeros, 'one'), moved(zeros, 'one'), moved('one', 'two')];
  t.match(recordFindings(records(twice), [], estates), [{ kind: 'untrue' }]);
});

void t.test('a ref with an open intent is not checked', async (t) => {
  const open = [{ kind: 'repositories.push', subject: 'home' }];
  t.strictSame(recordFindings(records([moved(zeros, 'one')], open), [], estates), []);
});
