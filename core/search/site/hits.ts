// The hits of a search as callers see them: with the record of their repository.
import type { Repository } from '#core/repositories/index';
import type { SymbolDefinition } from '../model/symbol.ts';

interface Located {
  readonly repository: Repository;
  /** Greater is better; comparable within one section. */
  readonly score: number;
}

/** A file with the line that matches best. */
export interface CodeHit extends Located {
  readonly path: string;
  readonly language: string;
  /** 1-based; 1 for a file that matches by its path alone. */
  readonly line: number;
  /** The line with its neighbours; '' for a file that matches by its path alone. */
  readonly snippet: string;
  /** 1-based: the number of the snippet's first line. */
  readonly firstLine: number;
}

/** A definition. */
export interface DefinitionHit extends Located, SymbolDefinition {
  readonly path: string;
  readonly language: string;
}

/** A document of a contributed section, or of the section `docs`. */
export interface FoundDocument extends Located {
  readonly key: string;
  /** The source that its indexer gave, without the names of the repository. */
  readonly source: unknown;
}

/** The hits of one section. */
export interface SectionHits<H> {
  readonly total: number;
  readonly hits: readonly H[];
}

/** A section without hits. */
export const noHits: SectionHits<never> = { total: 0, hits: [] };
