// The command `hexforge new-plugin`: writes a plugin with its test, README, package.json and tsconfig.json.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { standardPlugins } from '#config/standard';
import { nameProblem } from '../check/definitions.ts';
import { Refused, type Problem } from '../problems/problem.ts';
import { version } from '../version.ts';
import { print, type Command } from './command.ts';

/** The template is itself a plugin, which our tests run. */
const template = join(import.meta.dirname, 'new-plugin');

export const newPlugin: Command = {
  name: 'new-plugin',
  summary: 'writes a plugin, its test, README and package.json into a new folder',
  example: 'hexforge new-plugin bell-tower',
  takes: ['NAME'],
  flags: { dir: { type: 'string', value: 'DIR', description: 'the folder to write to; default: ./NAME' } },
  async run(context) {
    const { cwd, flags, positionals } = context;
    const [name = ''] = positionals;
    const folder = resolve(cwd, typeof flags['dir'] === 'string' ? flags['dir'] : name);
    const shown = relative(cwd, folder) || '.';
    const problem = ofName(name) ?? ofFolder(folder, shown);
    if (problem !== undefined) throw new Refused([problem]);
    const written = readdirSync(template)
      .sort()
      .map((file): string => {
        const target = file.replace(/\.template$/, '');
        writeFileSync(join(folder, target), named(readFileSync(join(template, file), 'utf8'), name), { flag: 'wx' });
        return target;
      });
    print(context, `Wrote ${written.join(', ')} to ${shown}`);
    print(context, `Next: ${shown === '.' ? '' : `cd ${shown} && `}npm install && npm test`);
    return 0;
  },
};

function ofName(name: string): Problem | undefined {
  if (!standardPlugins.some((standard) => standard.name === name)) return nameProblem(name);
  return {
    code: 'plugin_name',
    message: `"${name}" is a plugin of Hexforge itself`,
    remedy: 'Choose another name',
  };
}

/** The problem of the folder. Creates the folder if it is missing. */
function ofFolder(folder: string, shown: string): Problem | undefined {
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length === 0) return undefined;
    return {
      code: 'folder_not_empty',
      message: `The folder "${shown}" is not empty`,
      remedy: 'Name another one with --dir',
    };
  } catch (error) {
    return {
      code: 'folder_unwritable',
      message: `The folder "${shown}" cannot be made (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'})`,
      remedy: 'Name another one with --dir',
    };
  }
}

/** Replaces the template's name by the plugin's name, in each spelling. */
function named(text: string, name: string): string {
  const pascal = name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
  return text
    .replaceAll('sample-plugin', name)
    .replaceAll('sample_plugin', name.replaceAll('-', '_'))
    .replaceAll('samplePlugin', pascal.charAt(0).toLowerCase() + pascal.slice(1))
    .replaceAll('SamplePlugin', pascal)
    .replaceAll('0.0.0-hexforge', version);
}
