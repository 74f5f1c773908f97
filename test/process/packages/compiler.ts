// Runs the TypeScript compiler in the project of a plugin author, and parses its errors.
import { join } from 'node:path';
import { root } from '../../../tools/project-files.ts';
import { run } from './packed.ts';

const compiler = join(root, 'node_modules/typescript/bin/tsc');

/** Strict options, as of a careful author. */
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
  /** The path in the compiler's output. */
  readonly file: string;
  readonly line: number;
  /** The code, such as `TS2322`. */
  readonly code: string;
  readonly message: string;
}

/** Runs the compiler in a project. @returns its errors. */
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
