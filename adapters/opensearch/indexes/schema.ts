// The settings and the mapping of an index, with their version.

/** Increase it with every change of the settings, the mapping or the form of stored documents. */
export const schemaVersion = 1;

/** Appended to texts of the field `grams`, so that each of their characters begins a trigram. */
export const ending = '\n\n';

/** Every window of three code points is a token at its own position, so phrases of tokens are literal substrings. */
const trigrams = { type: 'text', analyzer: 'trigrams', norms: false } as const;
const keyword = { type: 'keyword', doc_values: false } as const;
const sorted = { type: 'keyword' } as const;
/** Returned only. A keyword that is neither indexed nor in doc values may have any length. */
const returned = { type: 'keyword', index: false, doc_values: false } as const;

const properties = {
  /** `file`, `document` or `source`. */
  kind: keyword,
  section: sorted,
  repository_id: sorted,
  /** The path of a file, or the key of a document. */
  key: sorted,

  // Of a source: the state that the last write stored, absent until then; whether it is being removed.
  state: returned,
  removing: { type: 'boolean', index: false, doc_values: false },

  // Of a file.
  oid: sorted,
  language: sorted,
  /** Of the text. */
  bytes: { type: 'long', index: false, doc_values: false },
  weight: { type: 'byte' },
  /** The folded path, a line break, the folded text. */
  grams: trigrams,
  path_grams: trigrams,
  stem: keyword,
  symbols: {
    type: 'nested',
    dynamic: 'strict',
    properties: {
      name: { type: 'keyword', index: false, ignore_above: 8000 },
      kind: sorted,
      line: { type: 'integer', index: false },
      signature: { type: 'keyword', index: false, ignore_above: 8000 },
      folded: keyword,
      /** A line break and the folded name, so that the beginning of a name can be found. */
      grams: trigrams,
    },
  },
  symbol_count: { type: 'integer', index: false },

  // Of a document: the words of the folded title and text, with blanks between.
  title: { type: 'text', analyzer: 'whitespace' },
  text: { type: 'text', analyzer: 'whitespace' },
  updated_at: { type: 'long', index: false },
  /** JSON. */
  source: returned,
} as const;

export type Field = keyof typeof properties;

/** The body of a request that creates an index. `shards` is 1 or more. */
export function newIndex(shards: number): { readonly settings: object; readonly mappings: object } {
  return {
    settings: {
      number_of_shards: shards,
      auto_expand_replicas: '0-1',
      refresh_interval: '500ms',
      'translog.durability': 'request',
      analysis: {
        tokenizer: { trigrams: { type: 'ngram', min_gram: 3, max_gram: 3 } },
        analyzer: { trigrams: { type: 'custom', tokenizer: 'trigrams' } },
      },
    },
    mappings: {
      _meta: { hexforge_schema: schemaVersion },
      dynamic: 'strict',
      // These are derived from others, or are not needed after they were indexed.
      _source: {
        excludes: ['path_grams', 'stem', 'symbols.folded', 'symbols.grams', 'title', 'text'],
      },
      properties,
    },
  };
}
