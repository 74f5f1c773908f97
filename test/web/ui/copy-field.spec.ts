// Tests the field with a value to copy.
import t from 'tap';
import { testHost } from '#host/sdk/testing';
import { copyField } from '#plugins/web/ui/index';

void t.test('a value is readable and labelled without a script, and its button is hidden', (t) => {
  const { text } = copyField({ id: 'url', label: 'The URL', value: 'https://a.example/"b"', hint: 'By git' });
  t.match(
    text,
    /<label for="url"\s*>The URL<\/label>\s*<input id="url" value="https:\/\/a\.example\/&quot;b&quot;" readonly/,
  );
  t.match(
    text,
    /<button[^>]*type="button" data-copies="url" hidden>\s*<span[^>]*>Copy<\/span><span class="skip"> The URL</,
  );
  t.match(text, /<p class="hint" id="url-hint">By git/);
  t.match(copyField({ id: 'a', label: 'A', value: 'b', hidesLabel: true }).text, /<label for="a" class="skip">A</);
  const lines = copyField({ id: 'all', label: 'Commands', value: '<a>\nb' }).text;
  t.match(lines, /<b>Commands<\/b><\/p>\s*<pre id="all">\n&lt;a&gt;\nb<\/pre>/, 'line breaks are kept');
  t.end();
});

void t.test('clone URLs and the first commands can be copied', async (t) => {
  await using forge = await testHost([], { repositories: ['alice/site'] });
  const { html } = await forge.browser('alice').open('/alice/site');
  t.match(html, /<input id="clone-0" value="http:[^"]*\/alice\/site\.git" readonly/);
  t.match(html, /data-copies="clone-0" hidden/);
  t.match(
    html,
    /<pre id="first-commands">\ngit clone [^]*git push origin HEAD:main<\/pre>[^]*data-copies="first-commands"/,
  );
});
