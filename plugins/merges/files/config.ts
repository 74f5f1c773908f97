// The configuration of the diffs of merge requests.
import { camelCased, Joi, oneOf, shape, type TypeOf } from 'hexforge/plugin';
import type { DiffSettings } from 'hexforge/merges';
import { diffAlgorithms } from 'hexforge/repositories';

const KiB = 1024;
const cap = (fallback: number, most: number) => Joi.number().integer().min(1).max(most).default(fallback);

export const diffConfig = shape({
  diff_caps: shape({
    max_file_bytes: cap(512 * KiB, 2 * KiB ** 2).description(
      'Bytes of the diff of one file, or of a file that is no text, up to which it is shown',
    ),
    max_total_bytes: cap(4 * KiB ** 2, 8 * KiB ** 2).description('The same of all files of a merge request'),
    max_file_lines: cap(20_000, 50_000).description('Lines of the diff of one file up to which it is shown'),
    max_files: cap(1000, 3000).description('Files of a merge request up to which its diff is shown'),
  })
    .default()
    .description('Up to where diffs are shown'),
  diff_algorithm: oneOf(...diffAlgorithms)
    .default('myers')
    .description('How the lines of diffs are matched, where the request names none'),
});

export const diffSettings = ({ diff_caps, diff_algorithm }: TypeOf<typeof diffConfig>): DiffSettings => ({
  caps: camelCased(diff_caps),
  algorithm: diff_algorithm,
});
