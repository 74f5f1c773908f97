// Renders the surface of the plugin API as text in a stable order: everything authors may import, and the declarations
// that it refers to.
import { createHash } from 'node:crypto';
import { stripped, type Declarations } from './declarations.ts';

const heading = `The surface of the plugin API, as the compiler declares it: written by \`node tools/plugin-api.ts\`, by nobody's hand.
What changes here needs an entry in docs/plugin-api-changes.md.
`;

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n## ${title}\n\n${lines.join('\n')}\n`;

export function surface(declarations: Declarations): string {
  const entries = declarations.entries();
  const shown = new Map<object, string>();
  const sections = entries.map((entry) =>
    section(
      entry.name,
      entry.exports.map(({ name, declaration, origin }) => {
        if (declaration === undefined) return `${name} = ${origin}`;
        const as = declaration.name === name ? '' : `${name} = `;
        const before = shown.get(declaration);
        if (before !== undefined) return `${as}${name}: see ${before}`;
        shown.set(declaration, entry.name);
        return as + stripped(declaration.text);
      }),
    ),
  );
  const behind = declarations
    .behind(entries.flatMap(({ exports }) => exports))
    .map(({ text }) => stripped(text))
    .sort();
  // The testing entries also load the standard plugins, so they are left out.
  const words = declarations.words(entries.map(({ name }) => name).filter((name) => !name.includes('/testing')));
  return [
    heading,
    ...sections,
    section('Named by these, and not exported', behind),
    ...[...words].map(([name, members]) => section(`Words: ${name}`, members)),
  ].join('');
}

/** The hash in docs/plugin-api-changes.md that identifies the surface of its newest entry. */
export const surfaceHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
