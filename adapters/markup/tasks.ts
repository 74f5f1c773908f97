// The messages between the server and the thread that renders texts.

/** The place of a Markdown text. All of it is part of the key under which the result is kept. */
export interface MarkdownPlace {
  /** Whether a line break in a paragraph is shown as one. */
  readonly breaks: boolean;
  /** Whether the text is a file: its front matter is hidden, and its headings have links to themselves. */
  readonly file: boolean;
  /** The beginning of all ids, such as `user-content-`. */
  readonly ids: string;
  /** The origin of this instance. Links to other origins are foreign. */
  readonly origin: string;
  /** The repository that relative links and references are about. */
  readonly repository?: MarkdownRepository | undefined;
}

export interface MarkdownRepository {
  /** The path of its front page, percent-encoded. */
  readonly path: string;
  readonly ref: string;
  /** The folder of the text; empty for the root. */
  readonly folder: string;
}

export type Task =
  | { readonly kind: 'markdown'; readonly text: string; readonly place: MarkdownPlace }
  | { readonly kind: 'code'; readonly text: string; readonly language: string };

/** A possible reference in a text, such as `#12`. */
export interface Reference {
  /** Empty for the id of a commit. */
  readonly sign: '#' | '!' | '@' | '';
  /** Without the sign. */
  readonly value: string;
}

/**
 * A sanitised text, cut where it may refer to something: there is one segment more than references. Each segment is
 * HTML.
 */
export interface RenderedMarkdown {
  readonly segments: readonly string[];
  readonly references: readonly Reference[];
}

/** HTML, one element for each line. */
export type RenderedLines = readonly string[];

export type Rendered = RenderedMarkdown | RenderedLines;

export interface Request {
  readonly id: number;
  readonly task: Task;
}

/** `ready` is sent once, after the libraries are loaded. */
export type Message = 'ready' | { readonly id: number; readonly result?: Rendered; readonly error?: string };

/** Limits of texts in UTF-16 code units. */
export const longest = {
  /** A Markdown text or a file. Longer ones are plain. */
  text: 512 * 1024,
  /** A line with highlighted syntax. */
  line: 2000,
} as const;
