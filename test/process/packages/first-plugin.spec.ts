// Tests of docs/writing-a-plugin.md: its commands run unchanged, one after the other, in an empty folder and a clean
// environment. Only `npm install` takes its packages from this checkout, because tests use no registry.
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execFile } from 'node:child_process';
import t from 'tap';
import { layCluster } from '#test/support/servers/cluster';
import { temporaryFolder } from '#test/support/folder';
import { root } from '../../../tools/project-files.ts';
import { packed } from './packed.ts';

const blocks = (page: string, language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);

/** Replaces `npm install`: installs the packed Hexforge, the development dependencies of a plugin, or a tarball. */
const install = `
npm() {
  if [ "$1" != install ]; then command npm "$@"; return; fi
  mkdir -p node_modules/.bin
  case "\${2-}" in
    hexforge) cp -a "$OFFLINE/." node_modules ;;
    '')
      mkdir -p node_modules/@types
      ln -s "$TOOLS/typescript" node_modules/typescript
      ln -s "$TOOLS/@types/node" node_modules/@types/node
      ln -s ../typescript/bin/tsc node_modules/.bin/tsc ;;
    *.tgz)
      name=$(tar -xzOf "$2" package/package.json | node -p 'JSON.parse(require("fs").readFileSync(0)).name')
      mkdir -p "node_modules/$name"
      tar -xzf "$2" --strip-components=1 -C "node_modules/$name" ;;
    *) echo "nothing brings $2" >&2; return 1 ;;
  esac
}
`;

/** Runs the server next to the commands of the second terminal, on any port, with a prepared empty database. */
const serving = (block: string): string => `
cp -a "$CLUSTER" data
set -m
{
${block}} > served.txt 2>&1 &
server=$!
set +m
trap 'kill -9 -- -$server 2> /dev/null || true' EXIT
until grep -q '^listening on ' served.txt; do kill -0 $server || { cat served.txt >&2; exit 1; }; sleep 0.1; done
`;

const stopping = `
kill -- -$server
wait $server || true
`;

const bash = (script: string, cwd: string, environment: NodeJS.ProcessEnv) =>
  new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const options = { cwd, env: environment, timeout: 110_000, maxBuffer: 2 ** 24 };
    // The test runner adds its loaders to the NODE_OPTIONS of every child.
    const command = ['-u', 'NODE_OPTIONS', 'bash', '-e', '-o', 'pipefail', '-c', script];
    execFile('env', command, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });

void t.test(
  'the commands of the page lead from an empty folder to an installed plugin',
  { timeout: 120_000 },
  async (t) => {
    const page = await readFile(join(root, 'docs/writing-a-plugin.md'), 'utf8');
    const { installIn } = await packed();
    const folder = await temporaryFolder(t);
    const home = await installIn(join(folder, 'offline'));
    const modules = dirname(home);
    await mkdir(join(modules, '.bin'));
    await symlink('../hexforge/bin/hexforge.js', join(modules, '.bin/hexforge'));
    // A reader's first test and first start create the empty database, which takes ten seconds; here it is prepared.
    const kit = pathToFileURL(join(home, 'host/sdk/testing/cluster.js')).href;
    const { keptCluster } = (await import(kit)) as { keptCluster(): string };
    await layCluster(join(folder, 'cluster'));
    await cp(join(folder, 'cluster'), keptCluster(), { recursive: true });

    const commands = blocks(page, 'sh');
    const server = commands.findIndex((block) => block.includes('npx hexforge serve'));
    t.equal(
      commands.findLastIndex((block) => block.includes('npx hexforge serve')),
      server,
      'it is started once',
    );
    const script = commands.map((block, index) => {
      if (index === server) return serving(block);
      if (index !== server + 1) return block;
      t.match(block, /^FORGE=http:\/\/127\.0\.0\.1:3000\/api\/v1\n/);
      return block.replace('http://127.0.0.1:3000', "$(sed -n 's/^listening on //p' served.txt)") + stopping;
    });

    const empty = join(folder, 'empty');
    await mkdir(empty);
    await writeFile(join(folder, 'npmrc'), 'offline=true\nupdate-notifier=false\n');
    const { code, stdout, stderr } = await bash([install, ...script].join('\n'), empty, {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: empty,
      LANG: 'C.UTF-8',
      PORT: '0',
      OFFLINE: modules,
      TOOLS: join(root, 'node_modules'),
      CLUSTER: join(folder, 'cluster'),
      NPM_CONFIG_USERCONFIG: join(folder, 'npmrc'),
    });
    t.equal(code, 0, stderr);
    t.match(stdout, /pass 3\n/, 'the tests pass');
    const [answer = ''] = blocks(page, 'json');
    const shape = answer
      .trim()
      .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replace('…', '[0-9a-f-]{36}');
    t.match(stdout, new RegExp(shape), 'the last answer equals the one on the page');
    t.equal(stdout.match(/^ok: \d+ plugins \(.*bell-tower\)/gm)?.length, 2);
    t.match(stdout, /hexforge-plugin-bell-tower-1\.0\.0\.tgz/);
  },
);
