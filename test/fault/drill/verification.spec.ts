// The records of a forge are held against what clients were told: none missing, none twice, and the moves of a ref in
// one chain.
import { t } from 'tap';
import type { Records } from '../inspection.ts';
import { Register } from './register.ts';
import { recordFindings } from './verification.ts';
import type { Estate } from './workers.ts';

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

void t.test('a record that is missing is lost, one too many was never asked for', async (t) => {
  t.strictSame(recordFindings(records([made]), promised(1, 1), []), []);
  t.match(recordFindings(records([]), promised(1, 2), []), [{ kind: 'lost' }]);
  t.match(recordFindings(records([made, made]), promised(1, 1), []), [{ kind: 'untrue' }]);
  t.strictSame(recordFindings(records([made]), promised(0, 1), []), [], 'nobody was answered');
});

void t.test('the moves of a ref are one chain that ends where it stands', async (t) => {
  t.strictSame(recordFindings(records([moved(zeros, 'one'), moved('one', 'two')]), [], estates), []);
  t.match(recordFindings(records([moved(zeros, 'one')]), [], estates), [{ kind: 'lost' }]);
  const twice = [moved(zeros, 'one'), moved(zeros, 'one'), moved('one', 'two')];
  t.match(recordFindings(records(twice), [], estates), [{ kind: 'untrue' }]);
});

void t.test('what is announced and not settled yet is not judged', async (t) => {
  const open = [{ kind: 'repositories.push', subject: 'home' }];
  t.strictSame(recordFindings(records([moved(zeros, 'one')], open), [], estates), []);
});
