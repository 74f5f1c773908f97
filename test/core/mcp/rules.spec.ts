// Tests of the rules of the MCP endpoint that need no server: host names, hidden characters, families.
import t from 'tap';
import { isForeignHost } from '#core/mcp/hosts';
import { prepared, utf8Bytes, visible } from '#core/mcp/texts';
import { familiesOf, instructions, titleOf } from '#core/mcp/words';

void t.test('foreign hosts are domains that are not ours', (t) => {
  const own = ['https://forge.example:8443/code', 'http://web.example'];
  for (const host of [
    'forge.example',
    'FORGE.example:1',
    'web.example',
    '127.0.0.1:3000',
    '[::1]:3000',
    'localhost',
    'forge',
    '',
    undefined,
  ])
    t.notOk(isForeignHost(host, own), String(host));
  for (const host of [
    'evil.example',
    'evil.example:8443',
    'forge.example.evil',
    'a.forge.example',
    '127.0.0.1.nip.io',
    'evil.example.',
  ])
    t.ok(isForeignHost(host, own), host);
  t.end();
});

void t.test('hidden characters are removed, visible ones are kept', (t) => {
  t.equal(visible('a\tb\nc'), 'a\tb\nc');
  t.equal(visible('\u0000\u0007\u001b[31m\r\u007f\u0085\u009b'), '[31m');
  t.equal(visible('\u202a\u202e\u2066\u2069\u{e0041}\u{e007f}'), '');
  t.equal(
    visible('é 漢字 😀 עברית \u200d \u{1f468}\u200d\u{1f469}'),
    'é 漢字 😀 עברית \u200d \u{1f468}\u200d\u{1f469}',
  );
  t.match(prepared({ a: ['\u001b', { b: '\u202e' }], n: 1, z: null }).data, { a: ['', { b: '' }], n: 1, z: null });
  t.end();
});

void t.test('bytes of texts are those of UTF-8', (t) => {
  for (const text of ['', 'a', 'é', '漢', '😀', 'a😀é漢'.repeat(100)])
    t.equal(utf8Bytes(text), Buffer.byteLength(text), text);
  t.end();
});

void t.test('families are in their order, titles are words', (t) => {
  const tools = ['extra', 'search', 'repo', 'repo', 'issues'].map((family) => ({ family }));
  t.strictSame(familiesOf(tools), ['repo', 'issues', 'search', 'extra']);
  t.equal(titleOf('get_file_at_two_refs_diff'), 'Get file at two refs diff');
  t.match(instructions('a/b'), /repository a\/b/);
  t.end();
});
