// Tests that every component is shown, with texts that could break it, and is listed in the documentation.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import * as ui from '#plugins/web/ui/index';
import { others } from '#plugins/web/start/components/example';
import { root } from '../../../tools/project-files.ts';

void t.test('every export of hexforge/ui is on the page of components', async (t) => {
  await using forge = await testHost([]);
  const { html, status } = await forge.browser().open('/-/ui');
  t.equal(status, 200);
  const exported = Object.keys(ui).toSorted();
  t.strictSame([...html.matchAll(/ id="ui-(\w+)"/g)].map(([, name]) => name ?? '').toSorted(), exported);
  for (const name of exported.filter((one) => !(one in others))) {
    const [section = ''] =
      new RegExp(`<section class="component" id="ui-${name}">[^]*?(?=<section class="component"|$)`).exec(html) ?? [];
    t.match(section, /<p class="quiet">[^]*<div class="state">\s*[^\s<]*<\w/, name);
  }
  t.notMatch(html, /\u{202e}/u, 'a name that reverses the text is shown without that');
});

void t.test('the page on pages lists every export', (t) => {
  const page = readFileSync(`${root}/docs/plugins/pages.md`, 'utf8');
  const [line = ''] = /^The components are functions.*$/m.exec(page) ?? [];
  t.strictSame([...line.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted(), Object.keys(ui).toSorted());
  t.end();
});
