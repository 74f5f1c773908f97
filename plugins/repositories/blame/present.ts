// From the domain to JSON: the lines of a file and who wrote them.
import type { BlamedLine } from 'hexforge/repositories';
import type { BlameLineJson } from './schemas.ts';

export function presentBlame(lines: readonly BlamedLine[]): readonly BlameLineJson[] {
  // Lines of one commit have one date, and writing it is half of the work.
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
