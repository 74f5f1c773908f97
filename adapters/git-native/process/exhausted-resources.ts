// Distinguishes exhausted resources (disk, descriptors, processes, memory) from all other failures of git and of file
// operations.
import { statfsSync } from 'node:fs';
import { HexforgeError } from '#core/kernel/errors';
import { errnoIn, exhaustedBy, exhaustedResource } from '#core/kernel/access/resources';

const place = 'the repositories';

/** Messages in which git does not state why it could not write. */
const unexplained =
  /couldn't write '|unable to (?:write|create temporary|migrate objects)|failed to write|cannot store|write error/;
/** Bytes. With less free space no file can be written. */
const nothingLeft = 64 * 1024;

/**
 * The error for the exhausted resource that git names on standard error; undefined if it names no resource.
 * @param directory where it was writing.
 */
export function spentAccordingTo(stderr: string, directory: string): HexforgeError | undefined {
  const errno = errnoIn(stderr) ?? (unexplained.test(stderr) && isFull(directory) ? 'ENOSPC' : undefined);
  return errno === undefined ? undefined : exhaustedBy(errno, place, new Error(`git in "${directory}": ${stderr}`));
}

function isFull(directory: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(directory);
    return bavail * bsize < nothingLeft || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

/** The typed error for an exhausted resource; all other errors unchanged. */
export function named(error: unknown, directory: string): unknown {
  const spent = exhaustedResource(error, place);
  if (spent !== undefined || !(error instanceof HexforgeError) || error.kind !== 'internal') return spent ?? error;
  return spentAccordingTo(error.detail ?? '', directory) ?? error;
}

/** The same methods; their rejections name the exhausted resource. */
export function namingResources<T extends object>(methods: T, directory: string): T {
  const guarded = Object.entries(methods).map(([name, method]: [string, unknown]) => [
    name,
    typeof method !== 'function'
      ? method
      : (...parameters: readonly unknown[]): unknown => {
          const answer: unknown = Reflect.apply(method, methods, parameters);
          if (!(answer instanceof Promise)) return answer;
          return answer.catch((error: unknown) => {
            throw named(error, directory);
          });
        },
  ]);
  return Object.fromEntries(guarded) as T;
}
