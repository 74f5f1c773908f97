// Contract checks for the port Markup.
import assert from 'node:assert/strict';
import type { MarkdownContext, Markup } from '#host/plugin/markup';
import type { Check } from './checks.ts';

export interface MarkupUnderTest {
  readonly markup: Markup;
  /** The context of a text outside a repository. */
  readonly context: MarkdownContext;
}

const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>\n\n[a](javascript:alert(1))';

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
    name: 'Markdown makes no script, no handler and no link to a script',
    async run({ markup, context }) {
      const [rendered] = await markup.markdown([hostile], context);
      assert.doesNotMatch(rendered?.text ?? '', /<script|<[^>]+\sonerror|href\s*=\s*["']?javascript/i);
    },
  },
  {
    name: 'code has one element for each line, escaped',
    async run({ markup }) {
      const lines = await markup.code('<b>\n\nconst a = 1;', 'TypeScript');
      assert.equal(lines.length, 3);
      assert.equal(lines[0]?.text.replaceAll(/<\/?span[^>]*>/g, ''), '&lt;b&gt;');
    },
  },
];
