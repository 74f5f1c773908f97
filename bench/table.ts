// Formats measurements as a table.
import type { Line } from './compare.ts';

export function table(lines: readonly Line[]): string {
  const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2));
  const cells = lines.map((line) => [
    line.name,
    line.engine,
    `${number(line.ours)} ${line.unit}`,
    `${number(line.limit)} ${line.unit}`,
    line.ratio.toFixed(2),
    `${line.spread[0].toFixed(2)}–${line.spread[1].toFixed(2)}`,
    line.target,
    line.held ? 'held' : 'MISSED',
  ]);
  const rows = [['what', 'database', 'ours', 'limit', 'ratio', 'spread', 'target', ''], ...cells];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
