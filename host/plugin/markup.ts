// The port for rendering texts of users: Markdown and highlighted code.
import type { Html } from '#adapters/http/descriptor/html';
import type { Call } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';

/** The repository of a text. */
export interface MarkupRepository {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  /** Whether the caller has this permission in the repository. */
  readonly may: (permission: string) => boolean;
}

/** The place of a Markdown text, which relative links and references depend on. */
export interface MarkdownContext {
  readonly call: Call;
  readonly repository?: MarkupRepository | undefined;
  /** The ref and the folder of a file, for its relative links and images. */
  readonly ref?: string | undefined;
  readonly folder?: string | undefined;
  /** Whether a line break in a paragraph is shown as one, as in comments. */
  readonly breaks?: boolean | undefined;
}

/** A text without Markdown, such as the message of a commit. */
export interface PlainText {
  readonly text: string;
  /** The path that those parts lead to which refer to nothing, percent-encoded, without that of the external URL. */
  readonly href?: string | undefined;
}

/** Renders texts of users. */
export interface Markup {
  /**
   * Renders the texts of one page. References are looked up once for all of them; one that the caller may not read
   * stays text. A text that is too large, or not rendered within the deadline, is shown unformatted.
   */
  markdown(texts: readonly string[], context: MarkdownContext): Promise<readonly Html[]>;
  /**
   * The lines of a text with highlighted syntax. Must not fail.
   *
   * @param language its name as in the languages of a repository, such as `TypeScript`; empty for plain text.
   * @param oid the object id of the text if it is a file, under which the result is kept.
   */
  code(text: string, language: string, oid?: string): Promise<readonly Html[]>;
  /**
   * The plain texts of one page, with their references as links. References are looked up once for all of them; one
   * that the caller may not read stays text. Must not fail.
   */
  linked(texts: readonly PlainText[], place: ReferencePlace): Promise<readonly Html[]>;
}

/** The place of references. */
export interface ReferencePlace {
  readonly call: Call;
  /** The repository of the text; undefined elsewhere, where only `@` is looked for. */
  readonly repository: MarkupRepository | undefined;
}

/** A thing that a text refers to. */
export interface FoundReference {
  /** The path of its page, percent-encoded, without that of the external URL. */
  readonly path: string;
  /** Such as the title of an issue. */
  readonly title: string;
}

/** Finds the things that texts refer to by a sign, such as issues by `#12`. References in code and links stay text. */
export interface ReferenceFinder {
  /** Empty for ids of commits, of 7 to 40 digits. */
  readonly sign: '#' | '!' | '@' | '';
  /**
   * Finds all things of a page at once. A thing that the caller may not read is missing from the map, like one that
   * does not exist.
   *
   * @param references without the sign, each once, at most 200.
   */
  find(references: readonly string[], place: ReferencePlace): Promise<ReadonlyMap<string, FoundReference>>;
}

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    Markup: Markup;
  }
  interface PluralPorts {
    ReferenceFinder: ReferenceFinder;
  }
}

declarePort('Markup', { arity: 'optional', component: 'markup', critical: false, absent: 'hidden' });
declarePort('ReferenceFinder', {
  arity: 'plural',
  component: 'finder of references',
  critical: false,
  absent: 'hidden',
  methods: ['find'],
});
