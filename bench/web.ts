// Measures pages: their server time against the REST reads that they show, and their weight, first paint and a long
// diff in Chromium with a processor slowed four times. The first paint of a page of one line is the browser's share.
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { startChromium } from '../tools/peers/chromium.ts';
import { bounded, compare, median, timed, type Line } from './compare.ts';
import type { Setting } from './lines.ts';
import { latency } from './load.ts';
import { writeHistory } from './history.ts';
import { text, writeProposals } from './proposals.ts';
import { git, type Subject } from './subject.ts';

const repository = '/admin/web';
const api = `/api/v1/repos${repository}`;

/** The REST reads of the data that a page shows. */
const shows: Readonly<Record<string, readonly string[]>> = {
  '': ['', '/contents', '/contents/README.md', '/languages', '/commits?per_page=1'],
  '/-/tree/main/folder-1': ['', '/contents/folder-1', '/commits?per_page=1&path=folder-1'],
  '/-/blob/main/file-1.txt': ['', '/contents/file-1.txt'],
  '/-/commits/main': ['', '/commits?per_page=25'],
  '/-/branches': ['', '/branches'],
  '/-/issues': ['', '/issues?state=open', '/labels', '/milestones'],
  '/-/issues/1': ['', '/issues/1', '/issues/1/comments', '/issues/1/links'],
  '/-/merges': ['', '/merges?state=open'],
  '/-/merges/1': ['', '/merges/1', '/merges/1/comments', '/merges/1/mergeability'],
  '/-/merges/1/changes': ['', '/merges/1', '/merges/1/comments'],
};

async function fill(setting: Setting, subject: Subject): Promise<void> {
  await subject.createRepository('web');
  const source = join(setting.root, `web-${setting.engine}.git`);
  await git(['init', '-q', '--bare', '-b', 'main', source]);
  await writeHistory(source, { commits: 500, rootFiles: 40, folders: 10, filesPerFolder: 10 });
  await writeProposals(source, [
    {
      branch: 'readme',
      from: 'refs/heads/main',
      files: [
        ['README.md', `# Bells\n\n${'A paragraph with **bold** text, and a [link](file-1.txt).\n\n'.repeat(40)}`],
      ],
    },
    {
      branch: 'long',
      from: 'refs/heads/readme',
      files: Array.from({ length: 15 }, (_, index) => [`long-${String(index)}.txt`, text(200, 'long')] as const),
    },
  ]);
  await git(['push', '-q', subject.cloneUrl('web'), 'readme:main', 'long:long'], source);
  const session = await subject.session();
  const post = (path: string, body: object): Promise<unknown> => subject.json('POST', `${api}${path}`, body, session);
  const types = (await subject.json('GET', '/api/v1/issue-types')) as readonly { id: string }[];
  for (let index = 0; index < 30; index += 1)
    await post('/issues', {
      title: `Issue ${String(index)}`,
      description: 'It does **not** ring.',
      issue_type_id: types[0]?.id,
    });
  for (let index = 0; index < 20; index += 1) await post('/issues/1/comments', { body: `Comment ${String(index)}` });
  await post('/merges', { title: 'Long', source_branch: 'long', target_branch: 'main' });
}

export async function webLines(setting: Setting, subject: Subject): Promise<Line[]> {
  await fill(setting, subject);
  const lines: Line[] = [];
  const headers = { authorization: `Bearer ${await subject.session()}` };
  for (const [page, reads] of Object.entries(shows)) {
    const ours = (): Promise<number> => latency(`${subject.url}${repository}${page}`, headers, 40);
    const limit = async (): Promise<number> => {
      let sum = 0;
      for (const read of reads) sum += await latency(`${subject.url}${api}${read}`, headers, 40);
      return sum;
    };
    await ours();
    lines.push(
      await compare({
        name: `page ${page === '' ? 'of a repository' : page}, to its REST reads`,
        engine: setting.engine,
        unit: 'ms',
        rounds: setting.rounds,
        target: { most: 2 },
        ours,
        limit,
      }),
    );
  }
  lines.push(await waitLine(setting, subject, headers));
  const browser = await startChromium();
  try {
    lines.push(...(await inBrowser(setting, subject, browser)));
  } finally {
    await browser.close();
  }
  return lines;
}

/** How long another request waits at most while the lines of a long diff are rendered. */
async function waitLine(
  { engine, rounds }: Setting,
  { url, bare }: Subject,
  headers: Readonly<Record<string, string>>,
): Promise<Line> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let [longest, isOver] = [0, false];
    const others = (async () => {
      while (!isOver) longest = Math.max(longest, await timed(async () => (await fetch(`${bare}/page`)).text()));
    })();
    // Links of lines contain the query, so that no lines of another round are reused.
    await (await fetch(`${url}${repository}/-/merges/1/changes?viewed=f${String(round)}`, { headers })).text();
    isOver = true;
    await others;
    values.push(longest);
  }
  const name = 'diff of 3,000 lines, first view: longest wait of another request';
  return bounded({ name, engine, unit: 'ms', values, most: 50 });
}

/** Opens a page with empty caches. */
async function opened<T>(
  browser: Browser,
  subject: Subject,
  path: string,
  slowed: number,
  measure: (page: Page, session: CDPSession) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${await subject.session()}` });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowed });
    return await measure(page, session);
  } finally {
    await context.close();
  }
}

interface Weight {
  all: number;
  Script: number;
  Stylesheet: number;
}

/** Bytes on the wire, by type. */
const weigh = (path: string) => async (page: Page, session: CDPSession) => {
  const types = new Map<string, string>();
  const weight: Weight = { all: 0, Script: 0, Stylesheet: 0 };
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId);
    weight.all += encodedDataLength;
    if (type === 'Script' || type === 'Stylesheet') weight[type] += encodedDataLength;
  });
  await page.goto(path, { waitUntil: 'networkidle' });
  return weight;
};

/** Milliseconds after the start of the navigation. */
const times = (path: string) => async (page: Page) => {
  await page.goto(path, { waitUntil: 'load' });
  const found: unknown = await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
    const [navigation] = performance.getEntriesByType('navigation');
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    resolve({ paint: paint?.startTime, interactive: navigation.domContentLoadedEventEnd, usable: performance.now() });
  })))`);
  return found as Readonly<Record<'paint' | 'interactive' | 'usable', number>>;
};

async function inBrowser({ engine, rounds }: Setting, subject: Subject, browser: Browser): Promise<Line[]> {
  const front = `${subject.url}${repository}`;
  const weight = await opened(browser, subject, front, 1, weigh(front));
  const kilobytes = (name: string, bytes: number, most: number): Line =>
    bounded({ name, engine, unit: 'KB', values: [bytes / 1024], most });
  const slowed = (path: string): ReturnType<ReturnType<typeof times>> => opened(browser, subject, path, 4, times(path));
  const measured = [];
  for (let round = 0; round < rounds; round += 1)
    measured.push({
      bare: await slowed(`${subject.bare}/page`),
      first: await slowed(front),
      long: await slowed(`${front}/-/merges/1/changes`),
    });
  const milliseconds = (name: string, values: readonly number[], most: number): Line =>
    bounded({ name, engine, unit: 'ms', values: [median(values)], most });
  return [
    kilobytes('front page on the wire', weight.all, 40),
    kilobytes('its scripts', weight.Script, 20),
    kilobytes('its styles', weight.Stylesheet, 12),
    milliseconds(
      'page of one line, first paint, processor slowed 4 ×',
      measured.map(({ bare }) => bare.paint),
      300,
    ),
    milliseconds(
      'front page, first paint, processor slowed 4 ×',
      measured.map(({ first }) => first.paint),
      300,
    ),
    milliseconds(
      'front page, scripts have run',
      measured.map(({ first }) => first.interactive),
      300,
    ),
    milliseconds(
      'diff of 3,000 lines, usable',
      measured.map(({ long }) => long.usable),
      1000,
    ),
  ];
}
