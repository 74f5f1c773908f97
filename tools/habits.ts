// Checks the conventions of this code base: file names, lengths, opening sentences, plain words, and no paths of one
// machine.
import type { SourceFile } from './layers.ts';
import { findIdioms } from './plain-words.ts';

export interface BrokenHabit {
  readonly file: string;
  readonly message: string;
}

const maxLines = { source: 400, test: 600 };
/** Checked here, because the formatter wraps code but not comments. */
const maxColumns = 120;
/** A line with only a comment that has a space to break at; a long URL has none. */
const breakableComment = /^ *(?:\/\/|\/?\*+) *\S+ \S/;
const vague = /(^|[-./])(service|manager|helper|helpers|util|utils)([-.]|$)/;
const fileName = /^[a-z0-9]+(-[a-z0-9]+)*((\.long)?\.(spec|suite|test|build|config|d))?\.(ts|js)$/;
const absentDocument = /\b[Dd]ocuments? [A-D]\b/;
/** Home folders, drives and work folders of one machine. `/tmp` and `/usr` exist on every machine. */
const machinePath = new RegExp(
  ['/home/[a-z]', '/Users/[A-Za-z]', '/root/', '/workspace/', '(?<![\\w./-])/work/', '[A-Z]:\\\\\\\\Users'].join('|'),
);

const checks: readonly {
  readonly applies: (file: SourceFile) => boolean;
  readonly broken: (file: SourceFile) => string | undefined;
}[] = [
  {
    applies: isCode,
    broken: ({ text }) => {
      const lines = text.replace(/^#!.*\n/, '').split('\n');
      const opening = lines
        .slice(
          0,
          lines.findIndex((line) => !line.startsWith('//')),
        )
        .join(' ')
        .replaceAll('//', '')
        .trim();
      return /^\S.*[.:]$/.test(opening) ? undefined : 'does not open with a comment sentence that says what it is for';
    },
  },
  { applies: isCode, broken: tooLong },
  { applies: isCode, broken: tooWide },
  {
    applies: isCode,
    broken: ({ path }) => (fileName.test(path.split('/').at(-1) ?? '') ? undefined : 'is not named in kebab-case'),
  },
  {
    applies: isCode,
    broken: ({ path }) =>
      vague.test(path) ? 'is named Service, Manager, Helper or Utils; name the noun of the field' : undefined,
  },
  {
    applies: isCode,
    broken: ({ text }) =>
      first(
        text,
        /\b(?:interface I[A-Z]\w*|(?:class|interface) \w+(?:Service|Manager|Helper|Utils))\b/,
        (name) => `declares "${name}"; name the noun of the field`,
      ),
  },
  {
    applies: isCode,
    broken: ({ text }) =>
      first(
        text,
        /@ts-(?:ignore|nocheck)\b|\b(?:eslint|oxlint)-disable(?!-next-line)/,
        (name) => `silences a checker with "${name}"`,
      ),
  },
  {
    applies: ({ path }) => /\.(spec|suite)\.ts$/.test(path),
    broken: ({ text }) =>
      first(
        text,
        /\bt\.only\(|\b(?:only|skip): true\b|^t\.(?:plan|end|beforeEach|afterEach|before|after)\(/m,
        (use) => `uses "${use}"; specs share one root test and none is left out`,
      ),
  },
  {
    applies: isCode,
    broken(file) {
      const [idiom] = findIdioms([file]).found;
      return idiom && `uses "${idiom.words}" in line ${idiom.line}; write: ${idiom.instead}`;
    },
  },
  {
    applies: () => true,
    broken: ({ text }) =>
      first(
        text,
        absentDocument,
        (name) => `cites "${name}", which is not in the repository; cite the operation or RFC`,
      ),
  },
  {
    applies: () => true,
    broken: ({ text }) => first(text, machinePath, (path) => `holds a path of one machine: "${path}"`),
  },
];

function isCode({ path }: SourceFile): boolean {
  return /\.(ts|js)$/.test(path);
}

function first(text: string, pattern: RegExp, message: (found: string) => string): string | undefined {
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : message(found);
}

export function habits(files: readonly SourceFile[]): BrokenHabit[] {
  return files.flatMap((file) =>
    checks.flatMap(({ applies, broken }) => {
      const message = applies(file) ? broken(file) : undefined;
      return message === undefined ? [] : [{ file: file.path, message }];
    }),
  );
}

function tooLong({ path, text }: SourceFile): string | undefined {
  const most = path.startsWith('test/') ? maxLines.test : maxLines.source;
  return text.trimEnd().split('\n').length > most ? `is over ${most} lines` : undefined;
}

function tooWide({ text }: SourceFile): string | undefined {
  const line = text.split('\n').findIndex((one) => one.length > maxColumns && breakableComment.test(one));
  return line === -1 ? undefined : `has a comment of over ${maxColumns} columns in line ${line + 1}`;
}
