// Messages of commits with their references as links, by the optional port Markup.
import { html, type Granted, type Html, type PlainText } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { markupRepository, type Texts } from './texts.ts';

/** The first line of a message, and the rest. */
export function messageParts(message: string): { readonly subject: string; readonly body: string } {
  const [subject = '', ...rest] = message.split('\n');
  return { subject, body: rest.join('\n').trim() };
}

/** The texts of a page, in their order. All references are looked up at once. */
export async function linkedTexts(
  texts: Texts,
  granted: Granted<Repository, 'repo.read'>,
  all: readonly PlainText[],
): Promise<readonly Html[]> {
  const { call } = granted;
  const linked = await texts()?.linked(all, { call, repository: markupRepository(granted) });
  return (
    linked ?? all.map(({ text, href }) => (href === undefined ? html`${text}` : html`<a href="${href}">${text}</a>`))
  );
}
