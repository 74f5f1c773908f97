// Contract checks for the port Markup.
import assert from 'node:assert/strict';
import type { MarkdownContext, Markup } from '#host/plugin/markup';
import type { Check } from './checks.ts';

export interface MarkupUnderTest {
  readonly markup: Markup;
  /** The context of a text outside a repository. */
  readonly context: MarkdownContext;
}

/** Texts that a careless renderer turns into scripts, styles, or requests to other hosts. */
const hostile = [
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '[a](javascript:alert(1)) [a](JaVaScRiPt:alert(1)) [a](data:text/html,x) [a](vbscript:x)',
  '<a href="java\nscript:alert(1)">a</a> <a href="&#x6a;avascript:alert(1)">a</a> <a href="\u{1}javascript:x">a</a>',
  '[a]: javascript:alert(1)\n\n[a] <javascript:alert(1)>',
  '<svg><script>alert(1)</script></svg><math><mtext><table><mglyph><style><img src onerror=alert(1)></style>',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<form action=/-/sign-out><input name=body><button>x</button></form><input type=image src=x>',
  '<iframe srcdoc="<script>1</script>"></iframe><object data=x></object><embed src=x><base href=//x.test>',
  '<p style="background:url(//x.test)" onclick=x class="button primary" id=content target=_blank>x</p>',
  '<a href="//x.test" target=_blank>a</a> <a href="/\\x.test">a</a> [a](//x.test)',
  '![a](https://x.test/a.png) <img src="//x.test/b" srcset="//x.test/c 2x"> <picture><source srcset=//x.test/d></picture>',
  '<video src=//x.test poster=//x.test></video><link rel=stylesheet href=//x.test><meta http-equiv=refresh content=0>',
  '```"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```',
  '<details ontoggle=alert(1) open>x</details> <x-y onclick=x>x</x-y> <template><img src=x onerror=x></template>',
  '<plaintext>x',
  '<!--> <img src=x onerror=alert(1)> -->',
  '<textarea></textarea><img onerror=x src=x>',
] as const;

const elements =
  /<(?!\/?(?:a|abbr|b|bdi|bdo|blockquote|br|code|dd|del|details|div|dl|dt|em|h[2-6]|hr|i|img|input|ins|kbd|li|mark|ol|p|pre|q|s|section|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|time|tr|ul|wbr)\b)[a-z!/?]/i;
const attributes = /<[a-z][^>]*\s(?:on\w+|style|target|srcset|srcdoc|action|name|data-[\w-]+)\s*=/i;
/** The attributes that load something or lead somewhere, with their values. */
const urls = (text: string): readonly string[] =>
  [...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, url = '']) => url);

export const markupChecks: readonly Check<MarkupUnderTest>[] = [
  {
    name: 'every text is rendered, in order',
    async run({ markup, context }) {
      const [first, second, ...more] = await markup.markdown(['one', 'two'], context);
      assert.match(first?.text ?? '', /one/);
      assert.match(second?.text ?? '', /two/);
      assert.equal(more.length, 0);
      assert.deepEqual(await markup.markdown([], context), []);
    },
  },
  {
    name: 'plain texts are unchanged, and lead to their pages',
    async run({ markup, context: { call } }) {
      const place = { call, repository: undefined };
      const texts = hostile.map((text, index) => (index % 2 === 0 ? { text } : { text, href: '/ada/site' }));
      const linked = await markup.linked(texts, place);
      assert.equal(linked.length, texts.length);
      for (const [index, { text }] of linked.entries()) {
        const shown = text.replace(/^<a href="\/ada\/site">([^]*)<\/a>$/, '$1');
        assert.equal(shown === text, index % 2 === 0, hostile[index]);
        assert.doesNotMatch(shown, /[<>"]|\p{Bidi_Control}/u, hostile[index]);
      }
      assert.deepEqual(await markup.linked([], place), []);
    },
  },
  {
    name: 'Markdown makes no script, no style, no form, and no link to a script',
    async run({ markup, context }) {
      for (const [index, { text }] of (await markup.markdown(hostile, context)).entries()) {
        assert.doesNotMatch(text, elements, hostile[index]);
        assert.doesNotMatch(text, attributes, hostile[index]);
        assert.doesNotMatch(text, /\sid="(?!user-content-)/, hostile[index]);
        assert.doesNotMatch(text, /class="[^"]*\b(?:button|primary)\b/, hostile[index]);
        for (const url of urls(text)) assert.match(url, /^(?:https?:\/\/|mailto:|\/(?![\\/])|#)/, hostile[index]);
      }
    },
  },
  {
    name: 'nothing is loaded from another host, and links to one have a rel',
    async run({ markup, context }) {
      for (const { text } of await markup.markdown(hostile, context)) {
        assert.doesNotMatch(text, /\ssrc="(?:https?:)?\/\//);
        for (const [tag] of text.matchAll(/<a [^>]*x\.test[^>]*>/g)) assert.match(tag, /rel="[^"]*noreferrer/);
      }
    },
  },
  {
    name: 'control characters and those that reverse text become visible',
    async run({ markup, context }) {
      const [rendered] = await markup.markdown(['a\u{202e}b &#8238; &#x2066; `\u{202e}` [x](/y "\u{202e}")'], context);
      assert.doesNotMatch(rendered?.text ?? '', /\p{Bidi_Control}/u);
      const lines = await markup.code('a\u{202e}\u{7}', 'TypeScript');
      assert.doesNotMatch(lines.map(({ text }) => text).join(), /\p{Bidi_Control}|\p{Cc}/u);
    },
  },
  {
    name: 'a text of any kind or length is an answer within the deadline, never an error',
    async run({ markup, context }) {
      const texts = [
        '['.repeat(50_000),
        '*a_ '.repeat(20_000),
        '`a'.repeat(50_000),
        '> '.repeat(10_000),
        `${'|a'.repeat(10_000)}\n${'|-'.repeat(10_000)}\n|b`,
        Array.from({ length: 5000 }, (_, index) => `[r${String(index)}]: /u`).join('\n'),
        `[a]: /${'x'.repeat(50_000)}\n\n${'[a] '.repeat(20_000)}`,
        'x'.repeat(600_000),
      ];
      const rendered = await markup.markdown(texts, context);
      assert.equal(rendered.length, texts.length);
      for (const { text } of rendered) assert.ok(text.length > 0 && text.length < 8_000_000);
    },
  },
  {
    name: 'code has one element for each line, escaped',
    async run({ markup }) {
      const lines = await markup.code('<b>\n\nconst a = 1;', 'TypeScript');
      assert.equal(lines.length, 3);
      assert.equal(lines[0]?.text.replaceAll(/<\/?span[^>]*>/g, ''), '&lt;b&gt;');
      assert.deepEqual(
        (await markup.code('<b>\r\n</b>', 'no such language')).map(({ text }) => text),
        ['&lt;b&gt;', '&lt;/b&gt;'],
      );
    },
  },
  {
    name: 'highlighted code says the same as the text',
    async run({ markup }) {
      const text = 'const a = `x\n${y} <i>`; /* c\n */ function f() {}\n';
      for (const language of ['TypeScript', 'JavaScript', 'Python', 'C', 'HTML', 'Markdown', 'YAML', '']) {
        const shown = (await markup.code(text, language)).map((line) => line.text.replaceAll(/<\/?span[^>]*>/g, ''));
        const plain = shown.join('\n').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
        assert.equal(plain, text, language);
      }
    },
  },
];
