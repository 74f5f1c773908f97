// Tests of the plugin API: its surface is recorded and changes only with a changelog entry, all exports are documented,
// and the examples in doc comments compile.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { PLUGIN_API_VERSION } from '#host/plugin/definition';
import { Declarations } from '../../../tools/source/declarations.ts';
import { root } from '../../../tools/project-files.ts';
import { surface, surfaceHash } from '../../../tools/source/surface.ts';
import { compile, compilerOptions } from './compiler.ts';
import { docExamples } from './doc-examples.ts';
import { ownWords } from './outside-words.ts';
import { packed } from './packed.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Each line with the name of its declaration. */
function located(text: string): readonly string[] {
  let declaration = '';
  return text.split('\n').map((line) => {
    if (!/^[\s}|]/.test(line)) declaration = /^(?:interface|class|type|const|function) ([\w$]+)/.exec(line)?.[1] ?? '';
    return declaration === '' ? line : `${declaration}: ${line.trim()}`;
  });
}

/** The lines that only one of the two texts has, with `-` before those of the first. */
function difference(before: string, after: string): readonly string[] {
  const only = (text: string, other: string, sign: string): readonly string[] => {
    const left = new Map<string, number>();
    for (const line of located(other)) left.set(line, (left.get(line) ?? 0) + 1);
    return located(text).flatMap((line) => {
      const count = left.get(line) ?? 0;
      left.set(line, count - 1);
      return count > 0 ? [] : [`${sign} ${line}`];
    });
  };
  return [...only(before, after, '-'), ...only(after, before, '+')];
}

void t.test('the plugin API', async (t) => {
  const { project } = await packed();
  const manifest = JSON.parse(read('package.json')) as ConstructorParameters<typeof Declarations>[1];
  const declarations = new Declarations(join(project, 'node_modules/hexforge'), manifest);
  const entries = declarations.entries();

  await t.test('a change of the surface is recorded, and has an entry for its version', async (t) => {
    const written = read('docs/plugin-api.txt');
    t.strictSame(
      difference(written, surface(declarations)),
      [],
      'if it changed: `node tools/plugin-api.ts`, then an entry in docs/plugin-api-changes.md',
    );
    const [, version, hash] = /^## (\d\S*\d)[^\n]*\n+Surface: `(\w+)`/m.exec(read('docs/plugin-api-changes.md')) ?? [];
    t.equal(version, PLUGIN_API_VERSION, 'the newest entry has the version of the package');
    t.equal(
      hash,
      surfaceHash(written),
      'describe the change in the newest entry, with the hash printed by `node tools/plugin-api.ts`',
    );
  });

  await t.test('every export has a doc comment', async (t) => {
    t.ok(entries.length >= 9, 'finds the entry points');
    for (const { name: entry, exports } of entries)
      t.strictSame(
        exports.filter(({ declaration }) => declaration?.doc === '').map(({ name }) => name),
        [],
        entry,
      );
  });

  await t.test('the examples in doc comments compile', async (t) => {
    const behind = declarations.behind(entries.flatMap(({ exports }) => exports));
    const examples = docExamples(entries, behind);
    t.ok(examples.length >= 20, `finds the examples of ${examples.map(({ name }) => name).join(', ')}`);
    await writeFile(join(project, 'own-words.ts'), ownWords);
    const files = examples.map(({ name }, index) => `example-${index + 1}-${name}.ts`);
    for (const [index, { module }] of examples.entries()) await writeFile(join(project, files[index] ?? ''), module);
    await writeFile(
      join(project, 'tsconfig.examples.json'),
      JSON.stringify({
        compilerOptions: { ...compilerOptions, skipLibCheck: true, noEmit: true },
        files: ['own-words.ts', ...files],
      }),
    );
    t.strictSame(await compile(project, 'tsconfig.examples.json'), []);
  });
});
