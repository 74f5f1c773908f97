// Tests the tree of an issue: its ancestors and all levels of its sub-issues, each with its state.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { body } from '../merge-pages.ts';

const task = '00000000-0000-4000-8000-000000000003';
const api = '/repos/alice/site/issues';
const base = '/alice/site/-/issues';

void t.test('the tree of an issue', async (t) => {
  await using forge = await testHost([], { repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const alice = forge.as('alice');
  const add = async (title: string, parent?: { id: string }): Promise<{ id: string }> =>
    body(await alice.post(api, { json: { title, issue_type_id: task, ...(parent && { parent_id: parent.id }) } }));
  const top = await add('Top');
  const middle = await add('Middle', top);
  await add('Aunt', top);
  const low = await add('Low', middle);
  const lower = await add('Lower', low);
  await add('Lowest', lower);
  await add('Second', middle);
  body(await alice.post(`${api}/5/close`));

  const side = async (number: number): Promise<string> => {
    const { html } = await forge.browser().open(`${base}/${number}`);
    return html.slice(html.indexOf('Parent and sub-issues'), html.indexOf('Watching'));
  };
  /** The titles and states, with their levels. */
  const tree = (html: string): readonly string[] => {
    let level = 0;
    return [
      ...html.matchAll(/<ul class="tree">|<\/ul>|<title>(\w+)<\/title>|<bdi>(\w+)<\/bdi>|<b>(This issue)<\/b>/g),
    ].flatMap(([tag, state, title, own]) => {
      if (tag.startsWith('<ul')) level += 1;
      if (tag === '</ul>') level -= 1;
      const text = state ?? title ?? own;
      return text === undefined ? [] : [`${level} ${text}`];
    });
  };
  t.strictSame(tree(await side(2)), [
    '1 Open',
    '1 Top',
    '2 This issue',
    '3 Open',
    '3 Low',
    '4 Closed',
    '4 Lower',
    '5 Open',
    '5 Lowest',
    '3 Open',
    '3 Second',
  ]);
  t.match(await side(2), /0 of 2 closed/);
  t.strictSame(
    tree(await side(6)).filter((line) => !/Open|Closed/.test(line)),
    ['1 Top', '2 Middle', '3 Low', '4 Lower', '5 This issue'],
  );
  t.strictSame(
    tree(await side(1)).filter((line) => !/Open|Closed/.test(line)),
    ['1 Middle', '2 Low', '3 Lower', '4 Lowest', '2 Second', '1 Aunt'],
  );
  t.equal(await side(0 + 3).then((html) => tree(html).length), 3);

  const alone = await add('Alone');
  for (let made = 0; made < 101; made += 1) await add(`Child ${made}`, alone);
  const wide = await side(8);
  t.match(wide, /more are not shown/);
  t.equal(wide.match(/Child \d+/g)?.length, 100);
  t.notMatch(wide, /of 101 closed/);
});
