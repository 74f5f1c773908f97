// Whether the title of an issue holds a text, by the index of its trigrams where the text has any.
import { rawSql } from 'hexforge/plugin';

/** pg_trgm takes trigrams of a pattern from three letters or digits in a row. Without one it would read all titles. */
const hasTrigram = /[\p{L}\p{N}]{3}/u;

/** In any case; `%` and `_` are themselves. `i` is the issue. */
export function titleHolds(text: string) {
  const key = text.toLowerCase();
  return hasTrigram.test(key)
    ? rawSql<boolean>`i.title_key like ${`%${key.replace(/[\\%_]/g, '\\$&')}%`}`
    : rawSql<boolean>`strpos(i.title_key, ${key}) > 0`;
}
