// Tests that a register distinguishes lost changes from untrue answers, and allows both outcomes of unanswered
// requests.
import { t } from 'tap';
import { absent, Register, something } from './register.ts';

void t.test('an acknowledged change that is missing is lost', async (t) => {
  const register = new Register('a branch');
  register.acknowledged('one');
  t.match(register.observe(absent), { kind: 'lost', text: 'a branch was acknowledged as one, and is absent' });
  t.equal(register.observe(absent), undefined, 'it is reported once');
});

void t.test('a rejected change that was made is untrue', async (t) => {
  const register = new Register('a branch', 'one');
  register.refused('two', '503 later');
  t.match(register.observe('two'), { kind: 'untrue', text: 'a branch is two, which was refused: 503 later' });
  const repository = new Register('a repository');
  repository.refused(something, '500 a fault');
  t.match(repository.observe('any id'), { kind: 'untrue' }, 'any value');
});

void t.test('an unanswered change may be made or not, until it is observed', async (t) => {
  for (const seen of ['one', 'two']) {
    const register = new Register('a branch', 'one');
    register.unanswered('two');
    t.equal(register.certain, undefined);
    t.equal(register.observe(seen), undefined);
    t.equal(register.certain, seen);
    t.match(register.observe('three'), { kind: 'lost' });
  }
});

void t.test('an acknowledgement after an unanswered request makes the state certain', async (t) => {
  const register = new Register('a branch', 'one');
  register.unanswered('two');
  register.acknowledged('two');
  t.match(register.observe('one'), { kind: 'lost' });
  const repository = new Register('a repository');
  repository.unanswered(something);
  t.equal(repository.mayBeAbsent && repository.mayBePresent, true);
  t.equal(repository.observe('any id'), undefined);
});
