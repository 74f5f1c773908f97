// Shared parts of the forms of repositories.
import { HexforgeError, maybe, Unprocessable, word } from 'hexforge/plugin';
import type { Visibility } from 'hexforge/repositories';

/** The member of `shownValues`. */
export const shownMember = () => maybe(word().max(2000));

/** The errors that are about the content of a form, beside those that the host knows. */
const ofContent: ReadonlySet<string> = new Set([
  'validation_failed',
  'conflict',
  'unprocessable',
  'not_found',
  'forbidden',
]);

/**
 * Runs a use case whose refusals are about the content of the form, such as a protected branch or an unknown user. The
 * page then shows the form again. A caller who has lost access is refused when the page is shown.
 * @param names of the fields of the form, by the members that the use case names.
 */
export async function asContent<T>(run: () => Promise<T>, names: Readonly<Record<string, string>> = {}): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof HexforgeError) || !ofContent.has(error.kind)) throw error;
    const { message, detail } = error;
    const named = detail?.replace(/^"(\w+)"/, (whole, name: string) =>
      names[name] === undefined ? whole : `"${names[name]}"`,
    );
    throw new Unprocessable(message, { cause: error, ...(named !== undefined && { detail: named }) });
  }
}

const readers: Readonly<Record<Visibility, string>> = {
  private: 'Private: you and collaborators',
  internal: 'Internal: everybody who is signed in',
  public: 'Public: everybody',
};

/** @param most the visibility that no choice exceeds. */
export const visibilityChoices = (most: Visibility = 'public') => {
  const all = ['private', 'internal', 'public'] as const;
  return all.slice(0, all.indexOf(most) + 1).map((value) => ({ value, label: readers[value] }));
};
