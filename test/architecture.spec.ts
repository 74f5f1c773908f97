// The architecture rules for every file: allowed imports, and the habits that can be checked automatically.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { folderCircles, largeFolders, mostFiles } from '../tools/folders.ts';
import { habits } from '../tools/habits.ts';
import { areas, check, type SourceFile, type Violation } from '../tools/layers.ts';
import { projectFiles, root } from '../tools/project-files.ts';
import { imports, tokens } from '../tools/source/scan.ts';

/** If fewer are found, the search for files is broken and a passing test would prove nothing. */
const least = {
  files: 120,
  imports: 500,
  perFolder: { core: 25, adapters: 20, plugins: 15, host: 10, config: 1, test: 30, tools: 5 },
};

const source = (path: string, ...lines: string[]): SourceFile => ({
  path,
  text: `// A planted file.\n${lines.join('\n')}\n`,
});

void t.test('every file imports only what its layer may', async (t) => {
  const files = projectFiles(['ts']);
  t.ok(files.length >= least.files, `finds at least ${least.files} files: ${files.length}`);
  for (const [folder, count] of Object.entries(least.perFolder)) {
    const seen = files.filter(({ path }) => path.startsWith(`${folder}/`)).length;
    t.ok(seen >= count, `finds at least ${count} files in ${folder}/: ${seen}`);
  }
  const seen = files.reduce((sum, { text }) => sum + imports(tokens(text)).length, 0);
  t.ok(seen >= least.imports, `finds at least ${least.imports} imports: ${seen}`);
  t.strictSame(
    check(files).map(({ file, line, message }) => `${file}:${line} ${message}`),
    [],
  );
});

void t.test('every aliased and relative import names a file that exists', async (t) => {
  const missing = projectFiles(['ts']).flatMap(({ path, text }) =>
    imports(tokens(text)).flatMap(({ specifier }) => {
      if (specifier === undefined || !/^[#.]/.test(specifier)) return [];
      const target = specifier.startsWith('#')
        ? join(root, `${specifier.slice(1)}.ts`)
        : join(root, path, '..', specifier);
      return existsSync(target) ? [] : [`${path} imports ${specifier}`];
    }),
  );
  t.strictSame(missing, []);
});

/** Files with bad examples on purpose. */
const holdingExamples = ['test/architecture.spec.ts', 'tools/habits.ts', 'package-lock.json'];

void t.test('every file follows the habits', async (t) => {
  const files = projectFiles(['ts', 'js', 'md', 'yml', 'yaml', 'json']).filter(
    ({ path }) => !holdingExamples.includes(path),
  );
  t.ok(files.length >= least.files);
  t.strictSame(
    habits(files).map(({ file, message }) => `${file} ${message}`),
    [],
  );
});

/** Folders of the product. Tests and tools may import each other. */
const ofProduct = /^(core|adapters|plugins|host|config)\//;

void t.test('folders are small and have an order', async (t) => {
  const files = projectFiles(['ts']);
  t.strictSame(largeFolders(files), []);
  t.strictSame(folderCircles(files.filter(({ path }) => ofProduct.test(path))), []);
});

void t.test('a large folder and a circle between folders are reported', async (t) => {
  const many = Array.from({ length: mostFiles + 1 }, (_, index) => source(`core/issues/file-${index}.ts`));
  t.match(largeFolders(many), [/^core\/issues has 21 files/]);
  t.strictSame(largeFolders(many.slice(1)), []);
  const [model, lists, face] = [
    source('core/issues/model/a.ts', "import { x } from '../lists/b.ts';"),
    source('core/issues/lists/b.ts', "import { x } from '#core/issues/index';"),
    source('core/issues/index.ts', "export * from './model/a.ts';"),
  ];
  t.strictSame(folderCircles([model, lists, face]), ['core/issues/lists and core/issues/model depend on each other']);
  t.strictSame(folderCircles([model, source('core/issues/lists/b.ts'), face]), []);
});

void t.test('the order of the areas has no cycle', async (t) => {
  const order: string[] = [];
  const visit = (area: string, path: readonly string[]): void => {
    t.notOk(path.includes(area), `${[...path, area].join(' uses ')} is no cycle`);
    if (path.includes(area) || order.includes(area)) return;
    for (const used of areas[area] ?? []) visit(used, [...path, area]);
    order.push(area);
  };
  for (const area of Object.keys(areas)) visit(area, []);
  t.strictSame([...order].sort(), Object.keys(areas).sort());
});

/** One file per row that breaks one rule; it must be reported exactly once. */
const planted: readonly {
  readonly breaks: string;
  readonly rule: Violation['rule'];
  readonly file: SourceFile;
  readonly says: RegExp;
}[] = [
  {
    breaks: 'core imports a node module',
    rule: 'layer',
    file: source('core/identity/a.ts', "import { readFileSync } from 'node:fs';"),
    says: /core\/identity imports itself and kernel/,
  },
  {
    breaks: 'core imports a library',
    rule: 'layer',
    file: source('core/kernel/a.ts', "import Joi from 'joi';"),
    says: /core\/kernel imports itself alone/,
  },
  {
    breaks: 'core imports a type of a library',
    rule: 'layer',
    file: source('core/kernel/a.ts', "import type Joi from 'joi';"),
    says: /itself alone/,
  },
  {
    breaks: 'core imports an adapter by alias',
    rule: 'layer',
    file: source('core/issues/a.ts', "import { x } from '#adapters/http/descriptor/route';"),
    says: /core\/issues/,
  },
  {
    breaks: 'core imports an adapter relatively',
    rule: 'layer',
    file: source('core/issues/a.ts', "import { x } from '../../adapters/http/route.ts';"),
    says: /core\/issues/,
  },
  {
    breaks: 'core names a type by import()',
    rule: 'layer',
    file: source('core/issues/a.ts', "export type X = import('#host/plugin/definition').Job;"),
    says: /core\/issues/,
  },
  {
    breaks: 'core augments a module outside',
    rule: 'layer',
    file: source('core/issues/a.ts', "declare module '#host/plugin/definition' { interface X { y: 1 } }"),
    says: /core\/issues/,
  },
  {
    breaks: 'core re-exports the host',
    rule: 'layer',
    file: source('core/issues/index.ts', "export * from '#host/plugin/definition';"),
    says: /core\/issues/,
  },
  {
    breaks: 'core imports the plugin API',
    rule: 'layer',
    file: source('core/issues/a.ts', "import { api } from 'hexforge/plugin';"),
    says: /core\/issues/,
  },
  {
    breaks: 'core computes an import',
    rule: 'computed-import',
    file: source('core/issues/a.ts', 'export const load = (name: string) => import(name);'),
    says: /computed at run time/,
  },
  {
    breaks: 'an area passes the face of another',
    rule: 'layer',
    file: source('core/issues/a.ts', "import { x } from '#core/repositories/model/repository';"),
    says: /through their index alone/,
  },
  {
    breaks: 'an area imports a later one',
    rule: 'layer',
    file: source('core/identity/a.ts', "import { x } from '#core/repositories/index';"),
    says: /core\/identity imports itself and kernel/,
  },
  {
    breaks: 'an area imports one of the same rank',
    rule: 'layer',
    file: source('core/issues/a.ts', "import { x } from '#core/pipelines/index';"),
    says: /core\/issues/,
  },
  {
    breaks: 'the kernel imports an area',
    rule: 'layer',
    file: source('core/kernel/a.ts', "import { x } from '#core/identity/index';"),
    says: /itself alone/,
  },
  {
    breaks: 'an area beside the order imports a feature',
    rule: 'layer',
    file: source('core/search/a.ts', "import { x } from '#core/issues/index';"),
    says: /core\/search/,
  },
  {
    breaks: 'core has an area that the table does not know',
    rule: 'layer',
    file: source('core/wiki/a.ts', "import { x } from '#core/kernel/errors';"),
    says: /not in the table/,
  },
  {
    breaks: 'an adapter imports another adapter',
    rule: 'layer',
    file: source('adapters/postgres/a.ts', "import { x } from '#adapters/memory/database';"),
    says: /never another adapter/,
  },
  {
    breaks: 'an adapter imports another adapter relatively',
    rule: 'layer',
    file: source('adapters/postgres/a.ts', "import { x } from '../memory/database.ts';"),
    says: /never another adapter/,
  },
  {
    breaks: 'a git back end imports another one',
    rule: 'layer',
    file: source('adapters/git-wasm/a.ts', "import { x } from '#adapters/git-native/refs/refs';"),
    says: /git back ends share/,
  },
  {
    breaks: 'an adapter imports the host',
    rule: 'layer',
    file: source('adapters/http/a.ts', "import { x } from '#host/plugin/definition';"),
    says: /never another adapter/,
  },
  {
    breaks: 'an adapter imports a plugin',
    rule: 'layer',
    file: source('adapters/http/a.ts', "import { x } from '#plugins/identity/plugin';"),
    says: /never another adapter/,
  },
  {
    breaks: 'a plugin imports another plugin',
    rule: 'layer',
    file: source('plugins/issues/a.ts', "import { x } from '#plugins/identity/schemas';"),
    says: /never another plugin/,
  },
  {
    breaks: 'a plugin imports another plugin relatively',
    rule: 'layer',
    file: source('plugins/issues/routes/a.ts', "import { x } from '../../identity/schemas.ts';"),
    says: /never another plugin/,
  },
  {
    breaks: 'a plugin passes the face of core',
    rule: 'layer',
    file: source('plugins/issues/a.ts', "import { x } from '#core/issues/model/issue';"),
    says: /the faces of areas/,
  },
  {
    breaks: 'a plugin imports a face by its file',
    rule: 'layer',
    file: source('plugins/issues/a.ts', "import { x } from '#core/issues/index';"),
    says: /the faces of areas/,
  },
  {
    breaks: "a plugin imports another area's use cases",
    rule: 'layer',
    file: source('plugins/issues/a.ts', "import { x } from '#core/identity/use-cases';"),
    says: /the faces of areas/,
  },
  {
    breaks: 'a plugin imports an adapter of the host',
    rule: 'layer',
    file: source('plugins/issues/a.ts', "import { x } from '#adapters/postgres/statements/rows';"),
    says: /not the host's own/,
  },
  {
    breaks: 'a plugin imports the host',
    rule: 'layer',
    file: source('plugins/issues/a.ts', "import { x } from '#host/plugin/definition';"),
    says: /hexforge\/plugin/,
  },
  {
    breaks: 'a plugin imports a library',
    rule: 'layer',
    file: source('plugins/issues/a.ts', "import Joi from 'joi';"),
    says: /hexforge\/plugin/,
  },
  {
    breaks: 'a plugin computes an import',
    rule: 'computed-import',
    file: source('plugins/issues/a.ts', 'export const load = (name: string) => import(name);'),
    says: /computed at run time/,
  },
  {
    breaks: 'a provider plugin wires two adapters',
    rule: 'one-adapter',
    file: source(
      'plugins/ldap/plugin.ts',
      "import { x } from '#adapters/ldap/index';",
      "import { y } from '#adapters/crypto/index';",
    ),
    says: /wires "ldap" already/,
  },
  {
    breaks: 'the host imports a plugin',
    rule: 'layer',
    file: source('host/a.ts', "import { x } from '#plugins/identity/plugin';"),
    says: /no plugin/,
  },
  {
    breaks: 'the host imports a provider of its choice',
    rule: 'layer',
    file: source('host/a.ts', "import { x } from '#adapters/git-native/index';"),
    says: /adapters http, postgres, memory and system/,
  },
  {
    breaks: 'the host imports an area of core',
    rule: 'layer',
    file: source('host/a.ts', "import { x } from '#core/identity/index';"),
    says: /imports the kernel/,
  },
  {
    breaks: 'the host names a plugin',
    rule: 'host-names-plugin',
    file: source('host/a.ts', "export const first = 'planted-plugin';"),
    says: /the host knows no plugin/,
  },
  {
    breaks: 'the kit passes the face of core',
    rule: 'layer',
    file: source('host/sdk/plugin.ts', "export * from '#core/identity/model/password';"),
    says: /faces of core/,
  },
  {
    breaks: 'the configuration imports a plugin',
    rule: 'layer',
    file: source('config/standard.ts', "import identity from '#plugins/identity/plugin';"),
    says: /as strings/,
  },
  {
    breaks: 'an HTTP suite reaches inside',
    rule: 'layer',
    file: source('test/spec/a.spec.ts', "import { x } from '#core/identity/index';"),
    says: /public door/,
  },
  ...[
    'Date.now()',
    'new Date()',
    'new Date',
    'Math.random()',
    'crypto.randomUUID()',
    'process.env',
    "Buffer.from('')",
    "fetch('/')",
    'setTimeout(f, 1)',
    'setInterval(f, 1)',
    'setImmediate(f)',
    'globalThis.x',
  ].map((use) => ({
    breaks: `core uses ${use}`,
    rule: 'core-globals' as const,
    file: source('core/kernel/a.ts', `export const x = () => ${use};`),
    says: /core has no clock/,
  })),
];

void t.test('a planted violation of each rule is reported', async (t) => {
  const neighbour = source('plugins/planted-plugin/plugin.ts', "import { definePlugin } from 'hexforge/plugin';");
  for (const { breaks, rule, file, says } of planted) {
    const found = check([neighbour, file]);
    t.equal(found.length, 1, `${breaks}: reported once`);
    t.match(found[0], { file: file.path, rule, message: says }, breaks);
  }
});

void t.test('imports that the table allows are not reported', async (t) => {
  const good = [
    source(
      'core/merges/a.ts',
      "import { x } from '#core/issues/index';",
      "import { y } from '#core/kernel/errors';",
      "import { z } from './b.ts';",
    ),
    source(
      'core/kernel/b.ts',
      '// new Date() and node:fs in a comment',
      'export const s = \'Date.now() import joi from "joi"\';',
      'export interface Git { fetch(from: string): Promise<void>; process: number }',
      'export const at = (now: Date) => new Date(now.getTime() + 1);',
      'export const r = /import x from "joi"/;',
      "export const u = `${s} import('joi')`;",
      'export const v = (git: Git) => git.fetch(s);',
    ),
    source(
      'adapters/postgres/a.ts',
      "import { p } from '@mikro-orm/core';",
      "import { open } from 'node:fs';",
      "import type { Storage } from '#core/kernel/storage/storage';",
    ),
    source('adapters/git-wasm/a.ts', "import { isOid } from '#adapters/git-common/names';"),
    source(
      'plugins/ldap/plugin.ts',
      "import { definePlugin } from 'hexforge/plugin';",
      "import { ldap } from '#adapters/ldap/index';",
      "import type { Users } from 'hexforge/identity';",
      "import { x } from '#core/ldap/use-cases';",
    ),
    source('plugins/issues/routes/list.ts', "import { present } from '../present.ts';"),
    source(
      'host/a.ts',
      "import { createHttpServer } from '#adapters/http/server';",
      'export const load = (name: string) => import(name);',
    ),
    source('test/spec/a.spec.ts', "import t from 'tap';", "import { startTestForge } from '#test/support/forge';"),
  ];
  t.strictSame(check(good), []);
});

void t.test('a planted bad habit of each kind is reported', async (t) => {
  const bad: readonly [SourceFile, RegExp][] = [
    [{ path: 'core/a.ts', text: 'export const x = 1;\n' }, /open with a comment/],
    [{ path: 'core/a.ts', text: '// no sentence\nexport const x = 1;\n' }, /open with a comment/],
    [source('core/a.ts', ...Array.from({ length: 400 }, (_, n) => `export const x${n} = 1;`)), /over 400 lines/],
    [source('core/a.ts', '', `// ${'long '.repeat(30)}`), /over 120 columns in line 3/],
    [source('core/userStore.ts'), /kebab-case/],
    [source('core/user-service.ts'), /Service, Manager/],
    [source('core/a.ts', 'export interface IUser { name: string }'), /"interface IUser"/],
    [source('core/a.ts', 'export class UserManager {}'), /"class UserManager"/],
    [source('core/a.ts', '', '// @ts-ignore'), /silences/],
    [source('core/a.spec.ts', "t.only('x', async () => {});"), /none is left out/],
    [source('core/a.spec.ts', 't.plan(3);'), /share one root test/],
    [{ path: 'docs/a.md', text: 'See /home/ann/hexforge.' }, /path of one machine/],
    [{ path: 'docs/a.md', text: 'As document B says.' }, /cites "document B"/],
    [source('core/a.ts', '', '// Whoever asks too much is refused.'), /uses "Whoever" in line 3/],
    [
      source('test/core/a.spec.ts', "void t.test('it is refused all the same', pass);"),
      /uses "all the same" in line 2/,
    ],
  ];
  for (const [file, says] of bad) {
    const found = habits([file]);
    t.equal(found.length, 1, `${file.path}: one report for ${says}`);
    t.match(found[0]?.message, says);
  }
});
