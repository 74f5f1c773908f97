// The reads of history: commits, logs, blame and differences, the tips of refs, and how far branches diverge.
import type { GitBackend } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { Objects } from '../objects/objects.ts';
import { blame } from './blame.ts';
import { CommitGraphs } from './commit-graph.ts';
import { Commits } from './commits.ts';
import { difference } from './diff.ts';
import { Divergences } from './divergence.ts';
import { CommitLog } from './log.ts';
import { tips } from './tips.ts';

export function history(foundation: Foundation, objects: Objects) {
  const { inside, looking } = foundation;
  const graphs = new CommitGraphs();
  const commits = new Commits({ ...foundation, objects });
  const commitLog = new CommitLog({ ...foundation, commits });
  const divergences = new Divergences({ ...foundation, objects, graphs });
  const methods = {
    commitRecord: looking((...asked) => commits.one(...asked)),
    history: inside((...asked) => commitLog.page(...asked)),
    mergeBase: inside((...asked) => commitLog.mergeBase(...asked)),
    tips: inside(tips(objects, commits)),
    divergence: inside((...asked) => divergences.of(...asked)),
    difference: inside(difference(foundation)),
    blame: inside(blame(foundation, commits)),
  } satisfies Partial<GitBackend>;
  return { graphs, commits, commitLog, methods };
}
