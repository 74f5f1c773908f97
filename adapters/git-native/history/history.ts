// The reads of history: commits, logs, blame and differences, the tips of refs, and how far branches diverge.
import type { GitBackend } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { Objects } from '../objects/objects.ts';
import { Blames } from './blame.ts';
import { CommitGraphs } from './commit-graph.ts';
import { Commits } from './commits.ts';
import { Diffs } from './diff.ts';
import { Divergences } from './divergence.ts';
import { CommitLog } from './log.ts';
import { Tips } from './tips.ts';

export function history(foundation: Foundation, objects: Objects) {
  const { inside, looking } = foundation;
  const graphs = new CommitGraphs();
  const commits = new Commits({ ...foundation, objects });
  const commitLog = new CommitLog({ ...foundation, commits });
  const tips = new Tips({ objects, commits });
  const divergences = new Divergences({ ...foundation, objects, graphs });
  const diffs = new Diffs(foundation);
  const blames = new Blames(foundation);
  const methods = {
    commitRecord: looking((...asked) => commits.one(...asked)),
    history: inside((...asked) => commitLog.page(...asked)),
    mergeBase: inside((...asked) => commitLog.mergeBase(...asked)),
    tips: inside((...asked) => tips.of(...asked)),
    divergence: inside((...asked) => divergences.of(...asked)),
    difference: inside((...asked) => diffs.between(...asked)),
    blame: inside((...asked) => blames.of(...asked)),
  } satisfies Partial<GitBackend>;
  return { graphs, commitLog, methods };
}
