// From the domain to JSON: the lines of a file and who wrote them.
import type { BlamedLine } from 'hexforge/repositories';
import type { BlameLineJson } from './schemas.ts';

export const presentBlame = (lines: readonly BlamedLine[]): readonly BlameLineJson[] =>
  lines.map(({ content, oid, author }, index) => ({
    line_number: index + 1,
    content,
    sha: oid,
    author_name: author.name,
    author_email: author.email,
    author_date: author.date.toISOString(),
  }));
