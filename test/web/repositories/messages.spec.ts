// Tests that messages of commits link what they refer to, for those who may see it, with one lookup of each kind.
import t from 'tap';
import { definePlugin, PLUGIN_API_VERSION } from '#host/plugin/definition';
import { testHost } from '#host/sdk/testing';

const hostile = '<img src=x onerror="alert(1)">\u{202e}';

void t.test('messages of commits link issues, merge requests, users and commits', async (t) => {
  const asked: string[] = [];
  // Returns nothing, so the number is passed to the next finder.
  const watcher = definePlugin({
    name: 'watcher',
    version: '1.0.0',
    api: `^${PLUGIN_API_VERSION}`,
    provides: {
      ReferenceFinder: () => ({
        sign: '#',
        find: async (references) => {
          asked.push(references.join());
          return new Map();
        },
      }),
    },
  });
  await using forge = await testHost(watcher, {
    repositories: [{ path: 'alice/site', visibility: 'public' }, 'bob/secret'],
    users: ['bob'],
  });
  const alice = forge.as('alice');
  const site = '/alice/site/-';
  const write = async (path: string, message: string, branch = 'main'): Promise<string> => {
    const content = Buffer.from(path).toString('base64');
    const { body } = await alice.put(`/repos/alice/site/contents/${path}`, { json: { message, content, branch } });
    return (body as { readonly commit: { readonly sha: string } }).commit.sha;
  };
  const type = ((await alice.get('/issue-types')).body as readonly { readonly id: string }[])[0];
  await alice.post('/repos/alice/site/issues', { json: { title: 'Leaks', issue_type_id: type?.id } });
  const first = await write('a', 'First');
  const message = `Fix #1 by @bob in ${first.slice(0, 12)} ${hostile}\n\nSee ${first}, #1 and #9, ${hostile} @nobody`;
  const second = await write('b', message);
  await alice.post('/repos/alice/site/branches', { json: { name: 'topic', base_ref: first } });
  const browser = forge.browser();

  const self = `href="${site}/commit/${second}"`;
  for (const [name, path] of Object.entries({
    list: `${site}/commits/main`,
    comparison: `${site}/compare/topic...main`,
    front: '/alice/site',
    branches: `${site}/branches`,
  })) {
    asked.length = 0;
    const { html } = await browser.open(path);
    t.match(
      html,
      `<a ${self}>Fix </a><a class="reference" href="/alice/site/-/issues/1" title="Leaks">#1</a>` +
        `<a ${self}> by </a><a class="reference" href="/bob"`,
      name,
    );
    t.match(
      html,
      `<a class="reference" href="${site}/commit/${first}" title="${first}">${first.slice(0, 12)}</a>`,
      name,
    );
    t.notMatch(html, /<a [^>]*>(?:(?!<\/a\b)[^])*<a /, `${name}: no link within a link`);
    t.notMatch(html, /<img|\u{202e}/u, name);
    t.strictSame(asked, ['1'], `${name}: one lookup`);
  }
  await write('c', '#1 @bob');
  t.match(
    (await browser.open(`${site}/commits/main`)).html,
    />#1<\/a> <a class="reference" href="\/bob"/,
    'no empty link',
  );
  const folder = (await browser.open(`${site}/tree/main`)).html;
  t.match(folder, /<td class="subject">\s*<bdi>Fix <a class="reference"/, 'the last commit of a file');

  asked.length = 0;
  const { html } = await browser.open(`${site}/commit/${second}`);
  t.match(html, /<h1 class="grow"><bdi>Fix <a class="reference" href="\/alice\/site\/-\/issues\/1"/);
  t.match(html, `See <a class="reference" href="${site}/commit/${first}"`);
  t.match(html, /and #9, &lt;img[^]* @nobody/, 'an unknown thing stays text');
  t.notMatch(html, /<img|\u{202e}/u);
  t.strictSame(asked, ['1,9'], 'one lookup for subject and body');
});
