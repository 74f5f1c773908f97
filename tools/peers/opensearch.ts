// Starts a real OpenSearch for the tests: one node on a free port of the loopback address, from artifacts of Maven.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cachedFolder, freePort, install, isRoot, killed, run } from './machine.ts';

export interface OpenSearchNode {
  /** Such as `http://127.0.0.1:9200`. It has neither TLS nor users: those belong to a plugin of OpenSearch. */
  readonly url: string;
  /** Kills the node, as in a crash. Its data is kept until `remove`. */
  stop(): Promise<void>;
  /** Starts it again on the same port, with its data. */
  start(): Promise<void>;
  /** Suspends the node: connections are accepted but not answered until `resume`. */
  freeze(): void;
  resume(): void;
  /** Stops the node and removes its data. */
  remove(): Promise<void>;
}

/** The newest version that runs on Java 17, and the `log4j-core` of exactly the `log4j-api` that it depends on. */
const version = '2.19.6';
const log4j = '2.25.4';
const artifacts = [
  ['org.opensearch', 'opensearch', version],
  ['org.opensearch.plugin', 'transport-netty4-client', version],
  ['org.opensearch.plugin', 'analysis-common', version],
  ['org.apache.logging.log4j', 'log4j-core', log4j],
] as const;
const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>hexforge</groupId><artifactId>opensearch</artifactId><version>1</version>
<dependencies>${artifacts
  .map(
    ([group, name, exact]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${exact}</version></dependency>`,
  )
  .join('')}</dependencies>
</project>`;

/** Ends with its parent, because its standard input then ends. Arguments: folder, port. */
const program = `
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;

public class OneNode extends Node {
  OneNode(Settings settings) {
    super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "one"),
        List.of(org.opensearch.transport.Netty4Plugin.class, org.opensearch.analysis.common.CommonAnalysisPlugin.class),
        false);
  }

  public static void main(String[] arguments) throws Exception {
    Node node = new OneNode(Settings.builder().put("path.home", Path.of(arguments[0]).toString())
        .put("discovery.type", "single-node").put("network.host", "127.0.0.1").put("http.port", arguments[1])
        .put("transport.port", "0").put("transport.type", "netty4").put("http.type", "netty4")
        .put("cluster.routing.allocation.disk.threshold_enabled", false).build());
    node.start();
    while (System.in.read() != -1) {}
    Runtime.getRuntime().halt(0);
  }
}
`;
const startMs = 120_000;

const works = (command: string, ...arguments_: readonly string[]): boolean =>
  spawnSync(command, arguments_, { stdio: 'ignore' }).status === 0;
/** Of the installed compiler of Java; 0 without one. */
const javaVersion = (): number =>
  Number(/\d+/.exec(spawnSync('javac', ['-version'], { encoding: 'utf8' }).stdout ?? '')?.[0] ?? 0);
const leastJava = 17;

/** Why there can be no node on this machine; undefined if there can be one. In CI there must be one. */
export function noOpenSearch(): string | undefined {
  if (process.env['CI'] === 'true' || (javaVersion() >= leastJava && works('mvn', '-version'))) return undefined;
  return isRoot && existsSync('/usr/bin/apt-get')
    ? undefined
    : `a JDK of ${leastJava} or later and Maven are needed, or root where apt-get is`;
}

/** Installs Java, Maven and OpenSearch if they are missing, and returns the folder of classes. @throws {Error} */
export function ensureOpenSearch(): string {
  if (javaVersion() < leastJava) install('default-jdk-headless');
  if (javaVersion() < leastJava) throw new Error(`There is no JDK of ${leastJava} or later, and apt-get brings none`);
  if (!works('mvn', '-version')) install('maven');
  const digest = createHash('sha256')
    .update(project + program)
    .digest('hex');
  return cachedFolder(`opensearch-${version}-${digest.slice(0, 12)}`, (unfinished) => {
    writeFileSync(join(unfinished, 'pom.xml'), project);
    run('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=.'], { cwd: unfinished });
    writeFileSync(join(unfinished, 'OneNode.java'), program);
    run('javac', ['-cp', join(unfinished, '*'), join(unfinished, 'OneNode.java')]);
  });
}

/** Attempts to start, because another process may take the free port meanwhile. */
const attempts = 3;

/** Starts a node. The caller must remove it. */
export async function startOpenSearch(): Promise<OpenSearchNode> {
  const classes = ensureOpenSearch();
  for (let attempt = 1; ; attempt += 1) {
    const node = nodeOn(await freePort(), classes);
    try {
      await node.start();
      return node;
    } catch (error) {
      await node.remove();
      if (attempt === attempts) throw error;
    }
  }
}

function nodeOn(port: number, classes: string): OpenSearchNode {
  const home = mkdtempSync(join(tmpdir(), 'hexforge-opensearch-'));
  const url = `http://127.0.0.1:${port}`;
  const logging = join(home, 'log4j2.properties');
  writeFileSync(
    logging,
    'appender.out.type = Console\nappender.out.name = out\nappender.out.layout.type = PatternLayout\n' +
      'rootLogger.level = warn\nrootLogger.appenderRef.out.ref = out\n',
  );
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const running = child;
    child = undefined;
    await killed(running);
  };
  return {
    url,
    stop,
    async start() {
      const output = join(home, 'output');
      const java = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Dlog4j2.configurationFile=${logging}`];
      const node = [`-Dopensearch.path.home=${home}`, '-cp', `${classes}:${classes}/*`, 'OneNode', home, String(port)];
      const running = spawn('sh', ['-c', 'exec java "$@" > "$0" 2>&1', output, ...java, ...node], {
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      child = running;
      for (const end = performance.now() + startMs; !(await answers(url)); await sleep(100)) {
        if (running.exitCode === null && performance.now() < end) continue;
        await stop();
        throw new Error(`OpenSearch does not start on port ${port}: ${readFileSync(output, 'utf8').slice(-2000)}`);
      }
    },
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async remove() {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=5s`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
