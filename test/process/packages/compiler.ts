// TypeScript's own compiler in the project of a plugin author, and what it complains of.
import { join } from 'node:path';
import { root } from '../../../tools/project-files.ts';
import { run } from './packed.ts';

const compiler = join(root, 'node_modules/typescript/bin/tsc');

/** As careful authors have it. */
export const compilerOptions = {
  target: 'esnext',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  rootDir: '.',
};

export interface Complaint {
  /** As the compiler names it. */
  readonly file: string;
  readonly line: number;
  /** `TS2322`. */
  readonly code: string;
  readonly message: string;
}

/** Runs the compiler in a project. */
export async function compile(project: string, configuration: string): Promise<readonly Complaint[]> {
  const { stdout } = await run(process.execPath, [compiler, '-p', configuration, '--pretty', 'false'], project).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout
    .split(/\n(?=\S)/)
    .filter((text) => text.trim() !== '')
    .map((text) => {
      const [, file = text, line = '0', code = '', message = ''] =
        /^(.+)\((\d+),\d+\): error (TS\d+): ([\s\S]+)$/.exec(text) ?? [];
      return { file, line: Number(line), code, message };
    });
}
