// Finding the nearest name for a misspelt one.
import t from 'tap';
import { didYouMean, nearest } from '#host/problems/nearest';

void t.test('a misspelt name finds the intended one', async (t) => {
  const names = ['identity', 'repositories', 'git-native', 'git-http', 'audit'];
  for (const [slip, meant] of [
    ['identiy', 'identity'],
    ['idnetity', 'identity'],
    ['Repositories', 'repositories'],
    ['git-htpp', 'git-http'],
    ['audits', 'audit'],
    ['repository', 'repositories'],
  ])
    t.equal(nearest(slip ?? '', names), meant);
});

void t.test('a name far from all others finds nothing', async (t) => {
  t.equal(nearest('kubernetes', ['identity', 'audit']), undefined);
  t.equal(nearest('', ['abcdefgh']), undefined);
  t.equal(didYouMean('kubernetes', ['audit'], 'Known are audit'), 'Known are audit');
});

void t.test('of two near names the nearer wins, of equally near ones the first', async (t) => {
  t.equal(nearest('port', ['sort', 'ports', 'port2']), 'sort');
  t.equal(nearest('prot', ['pot', 'port']), 'pot');
});
