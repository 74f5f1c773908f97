// Tests the marks of search terms in shown texts: they are those of the folded text, at places of the original one.
import t from 'tap';
import { markedParts } from '#core/search/query/marks';
import { folded } from '#core/search/query/folded';

/** The text with brackets around its matches. */
const marked = (text: string, terms: readonly string[], options?: Parameters<typeof markedParts>[2]): string =>
  markedParts(text, terms, options)
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('');

void t.test('terms are marked in any case, and all of them', async (t) => {
  t.equal(marked('parseConfig and PARSECONFIG', ['ParseConfig']), '[parseConfig] and [PARSECONFIG]');
  t.equal(marked('one two', ['two', 'one']), '[one] [two]');
  t.equal(marked('abcd', ['abc', 'bcd']), '[abc][d]', 'terms that overlap');
  t.equal(marked('aaaa', ['aa']), '[aa][aa]');
  t.equal(marked('a.b|c', ['.', '|']), 'a[.]b[|]c', 'a term is no pattern');
  t.equal(marked('text', ['', 'none']), 'text');
  t.strictSame(markedParts('', ['a']), []);
});

void t.test('letters whose folded form is longer or shorter are marked whole', async (t) => {
  t.equal(marked('Über Straße', ['über']), '[Über] Straße');
  t.equal(marked('a u\u0308ber b', ['über']), 'a [u\u0308ber] b', 'a composed term in a decomposed text');
  t.equal(marked('a über b', ['u\u0308ber']), 'a [über] b');
  t.equal(marked('İstanbul x', [folded('İstanbul')]), '[İstanbul] x');
  t.equal(marked('İİİ find me', ['find']), 'İİİ [find] me', 'places after them are right');
  t.equal(marked('ΟΔΟΣ', ['οδος']), '[ΟΔΟΣ]');
  t.equal(marked('x \u1112\u1161\u11ab y', ['한']), 'x [\u1112\u1161\u11ab] y');
  t.equal(marked('😀 smile 😀', ['smile']), '😀 [smile] 😀');
});

void t.test('in documents whole words are marked', async (t) => {
  const whole = { whole: true };
  t.equal(marked('a cat concatenates cat_ cats, CAT.', ['cat'], whole), 'a [cat] concatenates cat_ cats, [CAT].');
});

void t.test('the parts are the text, and a long one is not searched', async (t) => {
  const texts = ['İ\u0130x\u0301', 'ΟΣ', '\ud800 lone', 'a\0b', 'ﬁne ﬁne'];
  for (const text of texts)
    for (const term of ['x', 'i', 'σ', 'fi', 'b', '\u0307'])
      t.equal(
        markedParts(text, [term])
          .map((part) => part.text)
          .join(''),
        text,
        `${text} ${term}`,
      );
  t.strictSame(markedParts('a'.repeat(5001), ['a']), [{ text: 'a'.repeat(5001), isMatch: false }]);
});
