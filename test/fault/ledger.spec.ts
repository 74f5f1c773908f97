// Tests that the ledger of the churn (many clients on two servers) accepts every consistent order of answers, and finds
// each kind of inconsistent answer.
import t from 'tap';
import { Ledger, type RecordedEvent } from './ledger.ts';

const at = (from: number, to = from) => ({ from, to });
const event = (
  type: string,
  id: string,
  when: number,
  more: Partial<RecordedEvent['payload']> = {},
): RecordedEvent => ({ type, at: new Date(when), payload: { repository_id: id, ...more } });
const push = (id: string, when: number, next: string): RecordedEvent =>
  event('push', id, when, { ref: 'main', new: next });
const refs = (oid: string) => new Map([['main', oid]]);

/** `one` is created as u/a and renamed to u/b, `two` is created as u/a and deleted; both were pushed to. */
function scene(): { readonly ledger: Ledger; readonly events: RecordedEvent[] } {
  const ledger = new Ledger();
  ledger.created('one', 'u/a', 'first', at(10, 20));
  ledger.pushed({ path: 'u/a', ref: 'main', oid: 'p1', span: at(21, 29) });
  ledger.renamed('one', 'u/b', at(30, 40));
  ledger.created('two', 'u/a', '', at(50, 60));
  ledger.pushed({ path: 'u/a', ref: 'main', oid: 'p2', span: at(61, 65) });
  ledger.pushed({ path: 'u/b', ref: 'main', oid: 'p3', span: at(61, 65) });
  ledger.deleted('u/a', at(70, 80));
  ledger.described('one', 'second', at(81, 82));
  return {
    ledger,
    events: [
      event('repository.created', 'one', 15, { name: 'a' }),
      push('one', 25, 'p1'),
      event('repository.created', 'two', 55, { name: 'a' }),
      push('two', 63, 'p2'),
      push('one', 64, 'p3'),
      event('repository.deleted', 'two', 75, { name: 'a' }),
    ],
  };
}

const what = 'it';

void t.test('consistent answers are no faults', async (t) => {
  const { ledger, events } = scene();
  ledger.saw({ what, path: 'u/a', id: 'one', span: at(5, 12) });
  ledger.saw({ what, path: 'u/a', id: 'one', span: at(38, 45) });
  ledger.saw({ what, path: 'u/b', id: 'one', span: at(25, 31) });
  ledger.saw({ what, path: 'u/a', id: 'two', span: at(79, 90) });
  ledger.missed({ what, path: 'u/a', span: at(41, 51) });
  ledger.missed({ what, path: 'u/a', span: at(29, 31) });
  ledger.missed({ what, path: 'u/a', span: at(75, 76) });
  ledger.clashed({ what, path: 'u/a', span: at(5, 11), existing: undefined });
  ledger.clashed({ what, path: 'u/b', span: at(100), existing: 'one' });
  ledger.viewed({ what, path: 'u/a', span: at(22, 24), refs: refs('p1'), identity: 'one' });
  ledger.viewed({ what, path: 'u/a', span: at(22, 24), refs: new Map(), identity: undefined });
  ledger.viewed({ what, path: 'u/b', span: at(62, 70), refs: refs('p1'), identity: 'one' });
  ledger.listed({ what, path: 'u', owner: 'u', span: at(35), items: [{ id: 'one', path: 'u/a' }] });
  ledger.listed({ what, path: 'u', owner: 'u', span: at(75), items: [{ id: 'one', path: 'u/b' }] });
  t.strictSame(ledger.settle(events), []);
  t.strictSame(ledger.judge(events), []);
  t.strictSame([ledger.aliveIds, ledger.lastPaths('one'), ledger.lastTexts('one')], [['one'], ['u/b'], ['second']]);
  t.strictSame(ledger.landedIn('one', events), new Map([['main', ['p1', 'p3']]]));
});

void t.test('of concurrent changes either may be the last', async (t) => {
  const { ledger, events } = scene();
  ledger.renamed('one', 'u/c', at(90, 100));
  ledger.renamed('one', 'u/d', at(95, 105));
  ledger.missed({ what, path: 'u/c', span: at(120) });
  ledger.missed({ what, path: 'u/d', span: at(120) });
  ledger.settle(events);
  t.strictSame(ledger.judge(events), []);
  t.strictSame(ledger.lastPaths('one'), ['u/c', 'u/d']);
});

void t.test(
  'a push that was accepted while its repository was deleted needs no event, and a clone may be cut off',
  async (t) => {
    const { ledger, events } = scene();
    ledger.pushed({ path: 'u/a', ref: 'main', oid: 'p4', span: at(69, 78) });
    ledger.cutOff({ what, path: 'u/a', span: at(66, 71) });
    ledger.viewed({ what, path: 'u/a', span: at(68, 74), refs: refs('p4'), identity: 'two' });
    ledger.settle(events);
    t.strictSame(ledger.judge(events), []);
  },
);

const lies: Readonly<Record<string, readonly [(ledger: Ledger) => void, RegExp]>> = {
  'the name of another repository': [
    (it) => it.saw({ what, path: 'u/b', id: 'two', span: at(65) }),
    /showed two, which did not have this name/,
  ],
  'a name from before a rename': [(it) => it.saw({ what, path: 'u/a', id: 'one', span: at(41) }), /showed one/],
  'a deleted repository': [(it) => it.saw({ what, path: 'u/a', id: 'two', span: at(81) }), /showed two/],
  'an existing repository as missing': [
    (it) => it.missed({ what, path: 'u/b', span: at(45, 100) }),
    /was not found, while one had this name/,
  ],
  'a free name as taken': [
    (it) => it.clashed({ what, path: 'u/a', span: at(45), existing: undefined }),
    /refused as taken/,
  ],
  'a name as taken by the wrong repository': [
    (it) => it.clashed({ what, path: 'u/b', span: at(65), existing: 'two' }),
    /two did not have this name/,
  ],
  'an incomplete answer': [
    (it) => it.cutOff({ what, path: 'u/b', span: at(70, 80) }),
    /cut off, and nobody deleted it/,
  ],
  'a list without an existing repository': [
    (it) => it.listed({ what, path: 'u', owner: 'u', span: at(90), items: [] }),
    /lacks one/,
  ],
  'a list with a deleted repository': [
    (it) =>
      it.listed({
        what,
        path: 'u',
        owner: 'u',
        span: at(90),
        items: [
          { id: 'one', path: 'u/b' },
          { id: 'two', path: 'u/a' },
        ],
      }),
    /shows u\/a as two/,
  ],
  'a list with a repository twice': [
    (it) =>
      it.listed({
        what,
        path: 'u',
        owner: 'u',
        span: at(90),
        items: [
          { id: 'one', path: 'u/b' },
          { id: 'one', path: 'u/b' },
        ],
      }),
    /twice/,
  ],
  'a push that was lost': [
    (it) => it.pushed({ path: 'u/b', ref: 'main', oid: 'p9', span: at(90, 95) }),
    /no event tells/,
  ],
  'a push that landed elsewhere': [
    (it) => it.pushed({ path: 'u/b', ref: 'main', oid: 'p2', span: at(62, 64) }),
    /landed in two, which did not have this name/,
  ],
  'a clone from before a push': [
    (it) => it.viewed({ what, path: 'u/b', span: at(70, 75), refs: refs('p1'), identity: 'one' }),
    /none of one held/,
  ],
  'a clone without a branch': [
    (it) => it.viewed({ what, path: 'u/b', span: at(70, 75), refs: new Map(), identity: undefined }),
    /none of one held/,
  ],
  'a clone of another repository': [
    (it) => it.viewed({ what, path: 'u/b', span: at(70, 75), refs: refs('p2'), identity: 'one' }),
    /none of one held/,
  ],
  'files of another repository': [
    (it) => it.viewed({ what, path: 'u/b', span: at(70, 75), refs: undefined, identity: 'two' }),
    /the files of two/,
  ],
};

void t.test('each inconsistent answer is one fault', async (t) => {
  for (const [name, [lie, sentence]] of Object.entries(lies)) {
    const { ledger, events } = scene();
    lie(ledger);
    ledger.settle(events);
    t.match(ledger.judge(events), [sentence], name);
    t.equal(ledger.judge(events).length, 1, name);
  }
});

void t.test('two repositories with one name at the same time are a fault', async (t) => {
  const { ledger, events } = scene();
  ledger.created('three', 'u/b', '', at(50, 55));
  const all = [...events, event('repository.created', 'three', 52, { name: 'b' })];
  t.strictSame(ledger.settle(all), []);
  t.strictSame(ledger.judge(all), ['u/b was one and three at once']);
});

void t.test('acknowledged changes and recorded events must be equal', async (t) => {
  for (const [sentence, change] of [
    [
      /three was created, and no client was told/,
      (events: RecordedEvent[]) => void events.push(event('repository.created', 'three', 90)),
    ],
    [/u\/a \(two\) was acknowledged, and no event tells/, (events: RecordedEvent[]) => void events.splice(2, 1)],
    [/1 deletions were acknowledged, and events tell of 0/, (events: RecordedEvent[]) => void events.pop()],
    [
      /u\/b \(one\) was deleted, and no client was told/,
      (events: RecordedEvent[]) => void events.push(event('repository.deleted', 'one', 90, { name: 'b' })),
    ],
  ] as const) {
    const { ledger, events } = scene();
    change(events);
    t.match(ledger.settle(events)[0], sentence);
  }
});
