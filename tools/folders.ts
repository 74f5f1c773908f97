// Defines the size of folders and their order: a folder has few files, and no folders depend on each other in a circle.
import { resolve, type SourceFile } from './layers.ts';
import { imports, tokens } from './source/scan.ts';

/** The most files in a folder, beside its folders. */
export const mostFiles = 20;

const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/');

/** A sentence for each folder with too many files. */
export function largeFolders(files: readonly SourceFile[]): string[] {
  const counts = Map.groupBy(files, ({ path }) => parentOf(path));
  return [...counts]
    .filter(([, { length }]) => length > mostFiles)
    .map(([folder, { length }]) => `${folder} has ${length} files, and may have ${mostFiles}`);
}

/**
 * A sentence for each circle between folders of the same parent. A circle may also go through a file beside them. Such
 * files alone are no circle, so an index may import its folders.
 */
export function folderCircles(files: readonly SourceFile[]): string[] {
  const known = new Set(files.map(({ path }) => path));
  const edges = files.flatMap(({ path, text }) =>
    imports(tokens(text)).flatMap(({ specifier }) => {
      const target = specifier === undefined ? '' : `${resolve(specifier, path)}.ts`;
      return known.has(target) ? [[path, target] as const] : [];
    }),
  );
  const parents = new Set(files.flatMap(({ path }) => ancestorsOf(path)));
  return [...parents].sort().flatMap((parent) => {
    const uses = new Map<string, Set<string>>();
    for (const [from, to] of edges) {
      const [user, used] = [memberOf(parent, from), memberOf(parent, to)];
      if (user === undefined || used === undefined || user === used) continue;
      uses.set(user, (uses.get(user) ?? new Set()).add(used));
    }
    const reached = new Map([...uses.keys()].map((member) => [member, reachable(uses, member)]));
    return [...reached].flatMap(([member, others]) =>
      [...others]
        .filter(
          (other) =>
            other > member &&
            !member.endsWith('.ts') &&
            !other.endsWith('.ts') &&
            reached.get(other)?.has(member) === true,
        )
        .map((other) => `${parent}/${member} and ${parent}/${other} depend on each other`),
    );
  });
}

const ancestorsOf = (path: string): string[] => {
  const parent = parentOf(path);
  return parent === '' ? [] : [parent, ...ancestorsOf(parent)];
};

/** The folder or file directly in `parent` that has this file. */
const memberOf = (parent: string, path: string): string | undefined =>
  path.startsWith(`${parent}/`) ? path.slice(parent.length + 1).split('/')[0] : undefined;

function reachable(uses: ReadonlyMap<string, ReadonlySet<string>>, from: string): Set<string> {
  const found = new Set<string>();
  const visit = (member: string): void => {
    for (const used of uses.get(member) ?? [])
      if (!found.has(used)) {
        found.add(used);
        visit(used);
      }
  };
  visit(from);
  return found;
}
