// Generated hostile repositories: each kind exaggerates one thing that git allows or almost allows.
import { ada, PackWriter, type Entry } from './pack-writer.ts';

/** Returns a number from 0 to 1. */
export type Random = () => number;
type Make = (pack: PackWriter, between: (least: number, most: number) => number, random: Random) => void;

const text = (bytes: number, word = 'x'): string => word.repeat(Math.ceil(bytes / word.length)).slice(0, bytes);
const list = <T>(length: number, item: (index: number) => T): T[] => Array.from({ length }, (_, index) => item(index));
const notUtf8 = Buffer.from([0x66, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x80]);
const main = 'refs/heads/main';

/** A commit of this tree on `main`, with a parent that has another file. */
function committed(pack: PackWriter, tree: string, parts: Partial<Parameters<PackWriter['commit']>[0]> = {}): string {
  const first = pack.commit({ tree: pack.files({ 'README.md': '# One\n' }) });
  const commit = pack.commit({ tree, parents: [first], ...parts });
  pack.refs.set(main, commit);
  pack.refs.set('refs/heads/first', first);
  return commit;
}

/** Levels of folders, each of which has the level below under all `names`. */
function nested(pack: PackWriter, levels: number, names: readonly string[], leaf: string): string {
  let tree = leaf;
  for (let level = 0; level < levels; level += 1)
    tree = pack.tree(names.map((name) => ({ mode: '40000', name, oid: tree })));
  return tree;
}

const identity = (name: string | Buffer, mail: string | Buffer = 'a@b'): Buffer =>
  Buffer.concat([Buffer.from(name), Buffer.from(' <'), Buffer.from(mail), Buffer.from('> 1700000000 +0000')]);

export const kinds: Readonly<Record<string, Make>> = {
  'deep folders'(pack, between) {
    const levels = between(1000, 3500);
    committed(pack, nested(pack, levels, ['d'], pack.files({ file: 'deep\n' })));
    pack.paths.push('d', text(2 * between(100, 1000) - 1, 'd/'), `${text(2 * levels, 'd/')}file`);
  },
  'tree bomb'(pack, between) {
    const names = list(between(8, 40), (index) => `d${index}`);
    committed(pack, nested(pack, between(5, 9), names, pack.files({ file: 'bomb\n' })));
    pack.paths.push('d0', 'd0/d1', 'd0/d0/d0/d0/d0');
  },
  'wide folder'(pack, between) {
    const blob = pack.blob('same\n');
    const wide = pack.tree(
      list(between(100_000, 400_000), (index) => ({ mode: '100644', name: `f${index}`, oid: blob })),
    );
    committed(pack, pack.tree([{ mode: '40000', name: 'wide', oid: wide }]));
    pack.paths.push('wide', 'wide/f7');
  },
  'wide root in many commits'(pack, between) {
    const blob = pack.blob('same\n');
    const entries = list(between(20_000, 60_000), (index): Entry => ({ mode: '100644', name: `f${index}`, oid: blob }));
    let commit = committed(pack, pack.tree(entries));
    for (let count = 0; count < 8; count += 1) {
      entries[count] = { mode: '100644', name: `f${count}`, oid: pack.blob(`new ${count}\n`) };
      commit = pack.commit({ tree: pack.tree(entries), parents: [commit] });
    }
    pack.refs.set(main, commit);
    pack.paths.push('f7');
  },
  'many refs'(pack, between) {
    const commit = committed(pack, pack.files({ a: 'a\n' }));
    for (let index = between(3000, 12_000); index > 0; index -= 1)
      pack.refs.set(`refs/${['heads', 'tags'][index % 2]}/r${index}`, commit);
  },
  'odd refs'(pack, between) {
    const commit = committed(pack, pack.files({ a: 'a\n' }));
    for (const name of [
      '%2e%2e',
      'a#b',
      'a&b=c',
      'HEAD',
      '🦑',
      'a/b/c/d/e/f/g/h',
      "it's",
      '"q"',
      '$x',
      'main/..x',
      '-x',
      'x;y',
      '@',
    ])
      for (const kind of ['heads', 'tags']) pack.refs.set(`refs/${kind}/${name}`, commit);
    for (const length of [100, 200, 240]) pack.refs.set(`refs/heads/${text(length, 'é')}`, commit);
    pack.refs.set(`refs/tags/${text(between(40, 120) * 20, 'long-folder-name/abc/')}z`, commit);
    pack.refs.set('refs/notes/commits', commit);
    pack.refs.set('refs/hexforge/mine', commit);
    pack.refs.set('refs/pull/1/head', commit);
  },
  'huge tags'(pack, between) {
    const commit = committed(pack, pack.files({ a: 'a\n' }));
    for (let index = 0; index < 100; index += 1)
      pack.refs.set(
        `refs/tags/v${index}`,
        pack.tag(`v${index}`, commit, `${text(between(10_000, 100_000))}\n`, identity(text(between(100, 10_000)))),
      );
    let chained = commit;
    for (let index = 0; index < 50; index += 1)
      chained = pack.object(
        'tag',
        `object ${chained}\ntype ${index === 0 ? 'commit' : 'tag'}\ntag c\ntagger ${ada}\n\nc\n`,
      );
    pack.refs.set('refs/tags/chain', chained);
    pack.refs.set('refs/tags/tree', pack.files({ a: 'a\n' }));
    pack.refs.set('refs/tags/blob', pack.blob('a\n'));
  },
  'long names'(pack, between) {
    const long = text(between(200_000, 1_000_000), 'name');
    committed(pack, pack.files({ [long]: 'a\n', [`${text(4000, 'folder')}/b`]: 'b\n', c: 'c\n' }));
    pack.paths.push(`${text(4000, 'folder')}/b`);
  },
  'long path of many files'(pack, between) {
    const blob = pack.blob('a\n');
    const many = pack.tree(list(between(1000, 4000), (index) => ({ mode: '100644', name: `f${index}`, oid: blob })));
    const folder = text(between(10_000, 120_000), 'folder');
    committed(pack, pack.tree([{ mode: '40000', name: folder, oid: many }]));
  },
  'long subject'(pack, between) {
    const blob = pack.blob('a\n');
    const tree = pack.tree(list(between(500, 2000), (index) => ({ mode: '100644', name: `f${index}`, oid: blob })));
    committed(pack, tree, { message: text(between(20_000, 1_000_000), 'subject ') });
    pack.paths.push('f1');
  },
  'messages of newlines'(pack, between) {
    committed(pack, pack.files({ a: 'a\n' }), { message: `s${text(between(50_000, 1_000_000), '\n')}x` });
    pack.refs.set('refs/heads/blank', pack.commit({ tree: pack.files({}), message: text(200_000, ' \t\n') }));
    pack.refs.set('refs/tags/t', pack.tag('t', pack.refs.get(main) ?? '', `t${text(100_000, '\n')}t`));
  },
  'long authors'(pack, between) {
    const long = identity(text(between(50_000, 1_000_000), 'Ada '), text(between(1000, 100_000), 'mail'));
    const tree = pack.files({ lines: text(between(20_000, 200_000), 'x\n') });
    committed(pack, tree, { author: long, committer: long });
    pack.paths.push('lines');
  },
  'text that is no UTF-8'(pack) {
    const blob = pack.blob(notUtf8);
    const tree = pack.tree([
      { mode: '100644', name: notUtf8, oid: blob },
      {
        mode: '40000',
        name: Buffer.from([0x80]),
        oid: pack.files({ 'a\u202Eb': 'a', 'line\nbreak': 'b', '\u0001': 'c' }),
      },
      { mode: '120000', name: 'link', oid: blob },
    ]);
    committed(pack, tree, { author: identity(notUtf8, notUtf8), message: notUtf8 });
    for (const [index, encoding] of ['ISO-8859-1', 'UTF-16', 'nonsense', text(10_000, 'e'), 'UTF-7'].entries())
      pack.refs.set(
        `refs/heads/e${index}`,
        pack.commit({ tree, headers: `encoding ${encoding}\n`, message: notUtf8, author: identity(notUtf8) }),
      );
    pack.paths.push(notUtf8, 'link', 'line\nbreak');
  },
  'delta bomb'(pack, between) {
    const bombs = list(3, (index) => pack.deltaBomb(between(50, 250) + index));
    committed(pack, pack.tree(bombs.map((oid, index) => ({ mode: '100644', name: `bomb${index}.txt`, oid }))));
    pack.paths.push('bomb0.txt', 'bomb1.txt');
  },
  'inflated files'(pack, between) {
    const zeros = Buffer.alloc(between(5, 30) * 1024 ** 2);
    committed(
      pack,
      pack.files({
        zeros,
        'text.txt': Buffer.alloc(zeros.length, 'a'),
        'lines.txt': Buffer.alloc(zeros.length, 'a\n'),
      }),
    );
    pack.paths.push('zeros', 'text.txt', 'lines.txt');
  },
  'long lines'(pack, between) {
    const line = text(between(5, 10) * 1024 ** 2, 'word ');
    committed(pack, pack.files({ 'one.md': line, 'two.json': `["${line}"]`, 'short.txt': text(900_000, '\n') }));
    pack.paths.push('one.md', 'short.txt');
  },
  'lines to blame'(pack, between) {
    let commit = committed(pack, pack.files({ a: text(900_000, 'a\n') }));
    for (let count = 0; count < between(20, 60); count += 1)
      commit = pack.commit({
        tree: pack.files({ a: text(900_000, list(count + 2, (index) => `${index}${count}\n`).join('')) }),
        parents: [commit],
      });
    pack.refs.set(main, commit);
    pack.paths.push('a');
  },
  submodules(pack, between) {
    const links = list(between(500, 5000), (index): Entry => ({
      mode: '160000',
      name: `m${index}`,
      oid: index.toString(16).padStart(40, '1'),
    }));
    const modules = pack.blob(
      links
        .map(({ name }) => `[submodule "${String(name)}"]\n\tpath = ${String(name)}\n\turl = ../../../../x\n`)
        .join(''),
    );
    committed(pack, pack.tree([...links, { mode: '100644', name: '.gitmodules', oid: modules }]));
    pack.paths.push('m1', '.gitmodules');
    const wicked = pack.blob('[submodule "a/../../x"]\n\tpath = -u./x\n\turl = ext::sh -c touch%20x\n');
    pack.refs.set(
      'refs/heads/wicked',
      pack.commit({ tree: pack.tree([{ mode: '100644', name: '.gitmodules', oid: wicked }]) }),
    );
  },
  'symbolic links'(pack) {
    const to = (name: string, target: string): Entry => ({ mode: '120000', name, oid: pack.blob(target) });
    const links = [
      to('loop', 'loop'),
      to('a', 'b'),
      to('b', 'a'),
      to('abs', '/etc/passwd'),
      to('up', '../../../../../etc/passwd'),
      to('dot', '.'),
      to('git', '.git/config'),
      to('long', text(100_000, 'a/')),
      to('empty', ''),
      to('README.md', 'dot/README.md'),
    ];
    committed(pack, pack.tree(links));
    pack.paths.push('loop', 'dot/dot/a', 'up', 'abs', 'README.md');
  },
  binary(pack, between, random) {
    const bytes = (size: number): Buffer => Buffer.from(list(size, () => Math.floor(random() * 256)));
    const endings = ['png', 'svg', 'html', 'pdf', 'js', 'exe', 'zip', 'gz', 'woff', 'mp4', 'txt', 'json', 'xml'];
    let commit = committed(
      pack,
      pack.files(Object.fromEntries(endings.map((ending) => [`f.${ending}`, bytes(between(1, 200_000))]))),
    );
    commit = pack.commit({
      tree: pack.files({ 'f.png': bytes(500_000), nul: Buffer.alloc(500_000) }),
      parents: [commit],
    });
    pack.refs.set('refs/heads/other', commit);
    pack.paths.push('f.png', 'f.svg', 'f.html');
  },
  octopus(pack, between) {
    const tips = list(between(300, 1000), (index) =>
      pack.commit({ tree: pack.files({ [`f${index}`]: `${index}\n` }) }),
    );
    committed(pack, pack.files({ all: 'all\n' }), { parents: tips });
    pack.paths.push('all');
  },
  'criss-cross merges'(pack, between) {
    let [one, other] = [committed(pack, pack.files({ a: 'a\n' })), pack.commit({ tree: pack.files({ b: 'b\n' }) })];
    for (let step = 0; step < between(300, 1500); step += 1)
      [one, other] = [
        pack.commit({ tree: pack.files({ a: `${step}\n` }), parents: [one, other] }),
        pack.commit({ tree: pack.files({ b: `${step}\n` }), parents: [other, one] }),
      ];
    pack.refs.set(main, one);
    pack.refs.set('refs/heads/other', other);
    pack.paths.push('a');
  },
  'crafted dates'(pack) {
    const tree = pack.files({ a: 'a\n' });
    let commit = committed(pack, tree);
    for (const [index, date] of [
      '0 +0000',
      '2147483648 +0000',
      '4102444800 -1200',
      '253402300799 +1400',
      '1700000000 -0000',
      '1 +0000',
      '17592186044415 +0000',
      '1700000000 +9959',
      '99999999999999999999 +0000',
      '-1 +0000',
    ].entries()) {
      commit = pack.commit({
        tree: pack.files({ a: date }),
        parents: [commit],
        committer: `A <a@b> ${date}`,
        author: `A <a@b> ${date}`,
      });
      pack.refs.set(`refs/heads/d${index}`, commit);
      if (index < 7) pack.refs.set(main, commit);
    }
    pack.paths.push('a');
  },
  'archive substitutions'(pack, between) {
    const lines = text(between(1000, 5000) * 40, '$Format:%G?%GK%d%w(99999,1,1)%b%n%an%ae%B$\n');
    committed(pack, pack.files({ '.gitattributes': '* export-subst\nhidden export-ignore\n', f: lines, hidden: 'h' }), {
      message: text(20_000),
    });
    pack.paths.push('f', '.gitattributes');
  },
  'huge attributes'(pack, between) {
    const lines = list(
      between(2000, 20_000),
      (index) => `**/a${index}*b*c*d* filter=x${index} diff=y merge=z text eol=crlf`,
    ).join('\n');
    const files = Object.fromEntries(list(300, (index) => [`${text(60, 'ab/')}f${index}.txt`, `${index}\n`]));
    committed(
      pack,
      pack.files({
        '.gitattributes': `[attr]m m\n${lines}\n`,
        '.mailmap': text(500_000, 'A <a@b> B <c@d>\n'),
        ...files,
      }),
    );
    pack.paths.push('.gitattributes', 'ab');
  },
  'nothing at all'(pack) {
    const empty = pack.tree([]);
    committed(pack, pack.files({ empty: '' }), { message: '', author: ' <> 0 +0000', committer: ' <> 0 +0000' });
    pack.refs.set('refs/heads/empty', pack.commit({ tree: empty, message: '\n' }));
    pack.refs.set('refs/heads/folder', pack.commit({ tree: pack.tree([{ mode: '40000', name: 'd', oid: empty }]) }));
    pack.paths.push('empty', 'd');
  },
  'odd trees'(pack, between) {
    const blob = pack.blob('a\n');
    const modes = ['100664', '100600', '100755', '100640'].map((mode, index): Entry => ({
      mode,
      name: `m${index}`,
      oid: blob,
    }));
    committed(pack, pack.tree(modes));
    const wrong: readonly (readonly Entry[])[] = [
      [{ mode: '100644', name: '.git', oid: blob }],
      [{ mode: '100644', name: '..', oid: blob }],
      [{ mode: '100644', name: 'a/b', oid: blob }],
      list(between(2, 50), () => ({ mode: '100644', name: 'twice', oid: blob })),
      [{ mode: '040000', name: 'd', oid: pack.files({ a: 'a\n' }) }],
      [{ mode: '170000', name: 'x', oid: blob }],
    ];
    for (const [index, entries] of wrong.entries())
      pack.refs.set(`refs/heads/w${index}`, pack.commit({ tree: pack.tree(entries, 'as given') }));
    pack.paths.push('m0');
  },
  'many renames'(pack, between) {
    const count = between(500, 4000);
    const files = (folder: string): Record<string, string> =>
      Object.fromEntries(
        list(count, (index) => [`${folder}/f${index}`, `${text(2000, `line ${index % 7}\n`)}${folder}${index}\n`]),
      );
    const before = committed(pack, pack.files(files('old')));
    pack.refs.set(main, pack.commit({ tree: pack.files(files('new')), parents: [before] }));
    pack.refs.set('refs/heads/before', before);
    pack.paths.push('new', 'new/f1');
  },
  'long history'(pack, between) {
    let commit = committed(pack, pack.files({ a: 'a\n', b: 'b\n' }));
    for (let index = between(3000, 15_000); index > 0; index -= 1)
      commit = pack.commit({
        tree: pack.files({ a: `${index}\n`, b: 'b\n' }),
        parents: [commit],
        message: `Change ${index}\n`,
      });
    pack.refs.set(main, commit);
    pack.paths.push('a', 'b', 'nowhere');
  },
};

/** A repository of the kind, with sizes chosen by `random`. */
export function hostileRepository(kind: string, random: Random): PackWriter {
  const pack = new PackWriter();
  kinds[kind]?.(pack, (least, most) => Math.round(least + (most - least) * random()), random);
  return pack;
}

/** mulberry32: the same repositories for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
