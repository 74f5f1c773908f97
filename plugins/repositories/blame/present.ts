// Converts the lines of a blame to JSON.
import type { BlamedLine } from 'hexforge/repositories';
import type { BlameLineJson } from './schemas.ts';

export function presentBlame(lines: readonly BlamedLine[]): readonly BlameLineJson[] {
  // Lines of the same commit share one Date object. Formatting it once per commit halves the work.
  const dates = new Map<Date, string>();
  return lines.map(({ content, oid, author }, index) => {
    const date = dates.get(author.date) ?? author.date.toISOString();
    dates.set(author.date, date);
    return {
      line_number: index + 1,
      content,
      sha: oid,
      author_name: author.name,
      author_email: author.email,
      author_date: date,
    };
  });
}
