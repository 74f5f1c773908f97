// The condition that the title of an issue contains a text. It uses the trigram index if the text has a trigram.
import { rawSql } from 'hexforge/plugin';

/**
 * pg_trgm extracts trigrams from three consecutive letters or digits. Without one, the index would have to read all
 * titles.
 */
const hasTrigram = /[\p{L}\p{N}]{3}/u;

/** Ignores case, and takes `%` and `_` literally. `i` is the issue's alias. */
export function titleHolds(text: string) {
  const key = text.toLowerCase();
  return hasTrigram.test(key)
    ? rawSql<boolean>`i.title_key like ${`%${key.replace(/[\\%_]/g, '\\$&')}%`}`
    : rawSql<boolean>`strpos(i.title_key, ${key}) > 0`;
}
