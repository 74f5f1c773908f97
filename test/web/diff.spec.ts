// Tests the component that shows diffs: unified and side by side, its limits, and hostile texts in it.
import t from 'tap';
import { html, type Html } from '#adapters/http/descriptor/html';
import { readHunks } from '#core/repositories/index';
import { countingTurns } from '#test/support/clients/turns';
import { diff, fileId, type ChangedFile, type DiffLooks, type FileLine, type FileLooks } from '#plugins/web/ui/index';

const patch = `@@ -1,4 +1,4 @@
 one
-two
-three
+zwei
 four
@@ -10 +9,2 @@
-ten
+zehn
+elf
\\ No newline at end of file`;

const file = (changes: Partial<ChangedFile> = {}): ChangedFile => ({
  oldPath: 'a.txt',
  newPath: 'a.txt',
  isAdd: false,
  isDelete: false,
  isRename: false,
  isBinary: false,
  additions: 3,
  deletions: 3,
  hunks: readHunks(patch),
  ...changes,
});

const shown = async (files: readonly ChangedFile[], looks: Partial<DiffLooks> = {}): Promise<string> =>
  (await diff(files, { view: 'unified', ...looks })).text.replaceAll(/\s+/g, ' ');

/** The texts of the cells with code, row by row. */
const cells = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/<tr(?! class="hunk")(?: id="[^"]*")?(?: class="(\w+)")?>(.*?)<\/tr>/g)].map(
    ([, ofRow, row = '']) =>
      [...row.matchAll(/<td class="(?:line ?)?(?!no[ "])([^"]*)">(.*?)(?: <span.*?)?<\/td>/g)].map(
        ([, ofCell = '', code = '']) => `${ofCell === '' ? (ofRow ?? 'context') : ofCell}:${code}`,
      ),
  );

void t.test('unified: one row for each line, with its numbers outside of the text', async (t) => {
  const text = await shown([file()]);
  t.strictSame(cells(text).flat(), [
    'context:one',
    'removed:two',
    'removed:three',
    'added:zwei',
    'context:four',
    'removed:ten',
    'added:zehn',
    'added:elf',
  ]);
  const id = fileId(file());
  t.match(text, new RegExp(`<tr id="${id}-L2" class="removed">`));
  t.match(text, new RegExp(`<a href="#${id}-R2" data-no="2" aria-label="Line 2"></a>`));
  t.match(text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '), / @@ one two three zwei four @@ /, 'to be copied');
  t.match(text, /title="The file has no newline at its end"/);
});

void t.test('side by side: removed lines are paired with added ones inside a hunk', async (t) => {
  t.strictSame(cells(await shown([file()], { view: 'split' })), [
    ['context:one', 'context:one'],
    ['removed:two', 'added:zwei'],
    ['removed:three', 'none:'],
    ['context:four', 'context:four'],
    ['removed:ten', 'added:zehn'],
    ['none:', 'added:elf'],
  ]);
});

void t.test('side by side, the numbers have the colour of their line', async (t) => {
  const text = await shown([file()], { view: 'split' });
  t.match(text, /<td class="no removed"><a id="[^"]+" href="[^"]+" data-no="2"/);
  t.match(text, /<td class="no added"><a href="[^"]+" data-no="2"/);
  t.match(text, /<td class="no"><a href="[^"]+" data-no="1"/);
});

void t.test('other requests are served while the lines of many small files are written', async (t) => {
  const files = Array.from({ length: 5 }, (_, index) => file({ newPath: `f${index}` }));
  const slow = (): undefined => {
    for (const end = performance.now() + 1; performance.now() < end;);
  };
  const { turns } = await countingTurns(() => shown(files, { of: () => ({ below: slow }) }));
  t.ok(turns >= 5, `40 ms in ${String(turns)} turns`);
});

void t.test('each line has one id, which its link leads to', async (t) => {
  for (const view of ['unified', 'split'] as const) {
    const text = await shown([file(), file({ newPath: 'b.txt' })], { view });
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    t.equal(new Set(ids).size, ids.length, view);
    for (const [, target = ''] of text.matchAll(/href="#([^"]+)"/g)) t.ok(ids.includes(target), target);
  }
});

void t.test('comments are below their line, and a line can be commented', async (t) => {
  for (const view of ['unified', 'split'] as const) {
    const text = await shown([file()], {
      view,
      of: () => ({
        commentOn: ({ newNo }) => (newNo === 2 ? '?comment=2' : undefined),
        below: ({ newNo }) => (newNo === 2 ? html`<p>a remark</p>` : undefined),
      }),
    });
    t.match(text, /zwei<\/td>[^é]*?<tr class="talk"> <td colspan="[34]"><p>a remark<\/p><\/td>/);
    t.equal(text.split('a remark').length, 2);
    t.match(text, /class="add" href="\?comment=2" data-no="2" aria-label="Comment on line 2"/);
  }
});

void t.test('rows with the same key are rendered once, unless something is below a line', async (t) => {
  let rendered = 0;
  const commentOn = ({ newNo }: FileLine): string => {
    rendered += 1;
    return `?comment=${String(newNo)}`;
  };
  const highlighted = { new: Array.from({ length: 10 }, () => html`<i>new</i>`) };
  const again = async (looks: FileLooks, view: DiffLooks['view'] = 'unified', newPath = 'kept.txt') => {
    const before = rendered;
    const text = await shown([file({ newPath })], { view, of: () => ({ key: 'one', commentOn, ...looks }) });
    return { text, isKept: rendered === before };
  };
  const first = await again({});
  t.notOk(first.isKept);
  t.strictSame(await again({}), { text: first.text, isKept: true });
  t.notOk((await again({ key: 'two' })).isKept, 'another key');
  t.notOk((await again({}, 'split')).isKept, 'another view');
  t.notOk((await again({}, 'unified', 'other.txt')).isKept, 'another file, whose lines have other ids');
  t.notOk((await again({ highlighted })).isKept, 'highlighted');
  t.ok((await again({ highlighted })).isKept);
  t.notOk((await again({ highlighted: { new: [...highlighted.new] } })).isKept, 'highlighted again');
  const below = (): Html => html`<p>a remark</p>`;
  t.match((await again({ below })).text, /a remark/);
  t.strictSame(await again({}), { text: first.text, isKept: true });
  t.notOk((await again({ key: undefined })).isKept, 'without a key');
});

void t.test('the head names the change of the file', async (t) => {
  t.match(await shown([file({ isAdd: true })]), /added<\/span>.*\+3<\/span>.*&minus;3<\/span>/);
  t.match(await shown([file({ isRename: true, oldPath: 'b.txt' })]), /<bdi>b\.txt<\/bdi> &rarr; <bdi>a\.txt<\/bdi>/);
  t.match(await shown([file({ oldMode: '100644', newMode: '100755', hunks: [] })]), /Only the mode changed/);
  t.match(await shown([file({ isBinary: true, hunks: [] })]), /A binary file is not shown/);
  t.match(await shown([file({ suppressed: 'It is too large.' })]), /It is too large\.<\/p>(?!.*<table)/);
});

void t.test('a page has at most 5000 lines and 100 files with lines; the others have a link', async (t) => {
  const lines = Array.from({ length: 3000 }, (_, index) => `+line ${index}`).join('\n');
  const large = (newPath: string): ChangedFile => file({ newPath, hunks: readHunks(`@@ -0,0 +1,3000 @@\n${lines}\n`) });
  const alone = ({ newPath }: ChangedFile): string => `?file=${newPath}`;
  const two = await shown([large('a'), large('b'), file()], { alone });
  t.equal(two.split('<table').length, 3);
  t.match(two, /3000 lines are not shown on this page\. <a href="\?file=b">/);
  t.equal((await shown([large('a')], { alone, mostLines: 2000 })).split('<table').length, 1);
  const many = Array.from({ length: 101 }, (_, index) => file({ newPath: `f${index}` }));
  t.equal((await shown(many, { alone })).split('<table').length, 101);
});

void t.test('hostile paths and lines are escaped, and long lines are cut', async (t) => {
  const hostile = '<img src=x onerror="alert(1)">\u{202e}\u{0}';
  const hunks = readHunks(`@@ -1 +1,2 @@\n-${hostile}\n+${hostile}\n+${'x'.repeat(1_000_000)}\n`);
  for (const view of ['unified', 'split'] as const) {
    const text = await shown([file({ newPath: hostile, oldPath: `b${hostile}`, hunks })], { view });
    t.notMatch(text, /<img|\u{202e}/u, view);
    t.ok(text.length < 10_000);
    t.match(text, /998000 more characters/);
  }
});

void t.test('highlighted lines replace the texts', async (t) => {
  const looks = {
    old: Array.from({ length: 10 }, (_, index) => html`<i>old ${String(index + 1)}</i>`),
    new: Array.from({ length: 10 }, (_, index) => html`<i>new ${String(index + 1)}</i>`),
  };
  const text = await shown([file()], { of: () => ({ highlighted: looks }) });
  t.match(text, /<td class="line"><i>new 1<\/i><\/td>.*"line"><i>old 2<\/i><\/td>.*"line"><i>new 2<\/i><\/td>/);
});
