// Examples of diffs.
import { html } from 'hexforge/plugin';
import * as ui from '../../ui/index.ts';
import { longText, type Examples } from './example.ts';

const changed: ui.ChangedFile = {
  oldPath: 'src/old.ts',
  newPath: 'src/new.ts',
  isAdd: false,
  isDelete: false,
  isRename: true,
  isBinary: false,
  additions: 2,
  deletions: 1,
  hunks: [
    {
      oldStart: 1,
      oldLines: 3,
      newStart: 1,
      newLines: 4,
      lines: [
        { op: ' ', content: 'const seen = new Map();', oldNo: 1, newNo: 1 },
        { op: '-', content: 'for (const node of walk(document)) {', oldNo: 2, newNo: 0 },
        { op: '+', content: `let left = '${longText}';`, oldNo: 0, newNo: 2 },
        { op: '+', content: 'for (const node of document.nodes()) {', oldNo: 0, newNo: 3 },
        { op: ' ', content: '}', oldNo: 3, newNo: 4, noNewline: true },
      ],
    },
  ],
};

const files = (name: string): readonly ui.ChangedFile[] => [
  { ...changed, newPath: `src/${name}.ts` },
  { ...changed, newPath: `${name}.png`, isBinary: true, hunks: [] },
  { ...changed, newPath: `${name}.lock`, suppressed: 'The file is too large to be shown.', hunks: [] },
  { ...changed, newPath: `${name}-${longText}`, isRename: false, isAdd: true, isLeftOut: true, hunks: [] },
];

export const diffs = async (now: Date): Promise<Examples<'diff' | 'counts'>> => ({
  diff: {
    'unified, with a comment': await ui.diff(files('unified'), {
      view: 'unified',
      of: () => ({
        expand: '/-/ui',
        commentOn: () => '/-/ui',
        below: ({ newNo }) =>
          newNo === 3
            ? ui.comment({ id: 'line-comment', author: 'bo', head: ui.time(now, now), body: html`<p>On a line</p>` })
            : undefined,
      }),
    }),
    'side by side': await ui.diff(files('split'), { view: 'split' }),
  },
  counts: { both: ui.counts(12, 3), none: ui.counts(0, 0) },
});
