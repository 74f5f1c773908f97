// Records which git processes the forges of this process start.
import { GitProcesses } from '#adapters/git-native/process/git-process';

export type ProcessRecorder = (work: () => Promise<unknown>) => Promise<readonly string[]>;

/**
 * @returns a recorder of the git commands, without their arguments, that are started while `work` runs. Recording is
 * never switched off in this process.
 */
export function processRecorder(): ProcessRecorder {
  let started: string[] = [];
  const { prototype } = GitProcesses;
  const { start } = prototype;
  prototype.start = function (this: GitProcesses, args, options) {
    started.push(args.find((arg) => !arg.startsWith('-')) ?? '');
    return start.call(this, args, options);
  };
  return async (work) => {
    started = [];
    await work();
    return started;
  };
}
