// The published package: built and packed once for all specs of a process, and unpacked as by npm.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import tap from 'tap';
import { temporaryFolder } from '#test/support/folder';
import { root } from '../../../tools/project-files.ts';

const execute = promisify(execFile);

/** Runs a command without the loaders that the test runner puts into the environment. */
export const run = (
  command: string,
  arguments_: readonly string[],
  cwd: string = root,
): Promise<{ stdout: string; stderr: string }> =>
  execute('env', ['-u', 'NODE_OPTIONS', command, ...arguments_], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], npm_config_update_notifier: 'false' },
  });

/** Like `run`, with the `node`, `npm` and `tsc` of the tests. */
export const withNode = (command: string, arguments_: readonly string[], cwd: string): ReturnType<typeof run> => {
  const path = [dirname(process.execPath), join(root, 'node_modules/.bin'), process.env['PATH']].join(':');
  return run('env', [`PATH=${path}`, command, ...arguments_], cwd);
};

export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

export interface Packed {
  readonly manifest: Manifest;
  readonly files: readonly string[];
  /** The folder of a project outside the checkout in which only the package is installed. */
  readonly project: string;
  /** The path of the program in it. */
  readonly program: string;
  /** Installs the package in another project. */
  readonly installIn: (project: string) => Promise<string>;
}

/**
 * Installs the package and its dependencies, linked from this checkout, so that no registry is used. Of the development
 * dependencies only the types of Node are installed, as for a plugin author.
 */
async function install(tarball: string, project: string, { dependencies }: Manifest): Promise<string> {
  const modules = join(project, 'node_modules');
  const home = join(modules, 'hexforge');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', home]);
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  return home;
}

async function pack(): Promise<Packed> {
  const folder = await temporaryFolder(tap);
  const out = join(folder, 'dist');
  await run(process.execPath, [join(root, 'tools/build.ts'), '--out', out]);
  const manifest = JSON.parse(await readFile(join(out, 'package.json'), 'utf8')) as Manifest;
  const files = (await readdir(out, { recursive: true })).map(String);
  // The npm of the machine, which needs no network to pack.
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], out);
  const project = join(folder, 'elsewhere');
  const tarball = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  const installIn = (other: string): Promise<string> => install(tarball, other, manifest);
  const home = await installIn(project);
  return { manifest, files, project, program: join(home, manifest.bin['hexforge'] ?? ''), installIn };
}

/** Builds and packs a plugin's package with its own scripts. @returns the tarball. */
export async function packPlugin(folder: string): Promise<string> {
  const { stdout } = await withNode('npm', ['pack', '--silent'], folder);
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

/** Installs a plugin's tarball in a project, replacing the existing version, as by npm. */
export async function unpack(tarball: string, project: string): Promise<void> {
  const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
  const home = join(project, 'node_modules', (JSON.parse(stdout) as { readonly name: string }).name);
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', home]);
}

let made: Promise<Packed> | undefined;

export const packed = (): Promise<Packed> => (made ??= pack());
