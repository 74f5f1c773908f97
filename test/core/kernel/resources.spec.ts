// Exhausted resources of the operating system as named errors: a sentence, a remedy, and 507 or 503.
import t from 'tap';
import { InsufficientStorage, Internal, NotFound, Unavailable } from '#core/kernel/errors';
import { errnoIn, exhaustedBy, exhaustedResource } from '#core/kernel/access/resources';

const system = (code: string, cause?: unknown): Error =>
  Object.assign(new Error(`${code}: open '/srv/x'`, { cause }), { code });

void t.test('each errno of an exhausted resource has its own sentence, a remedy and the files concerned', (t) => {
  const errnos = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'];
  const told = errnos.map((errno) => exhaustedBy(errno, 'the repositories', undefined));
  t.equal(new Set(told.map((error) => error?.message)).size, errnos.length);
  t.ok(told.every((error) => error?.detail !== undefined));
  t.strictSame(
    told.map((error) => error?.kind),
    [...Array(2).fill('insufficient_storage'), ...Array(6).fill('unavailable')],
  );
  t.equal(told[0]?.message, 'The disk that holds the repositories is full');
  t.match(told[4]?.detail, /ulimit -n/);
  for (const other of ['ENOENT', 'EACCES', 'constructor', '']) t.equal(exhaustedBy(other, 'x', undefined), undefined);
  t.end();
});

void t.test('an exhausted resource is found among the causes of an error; a named error is unchanged', (t) => {
  t.ok(exhaustedResource(system('ENOSPC'), 'x') instanceof InsufficientStorage);
  const wrapped = new Error('writing failed', { cause: system('EMFILE') });
  const told = exhaustedResource(wrapped, 'x');
  t.ok(told instanceof Unavailable);
  t.equal(told?.cause, wrapped, 'for the log');
  t.ok(exhaustedResource(new Internal('git failed', { cause: system('ENOSPC') }), 'x') instanceof InsufficientStorage);
  t.equal(exhaustedResource(new NotFound('gone', { cause: system('ENOSPC') }), 'x'), undefined);
  t.equal(exhaustedResource(system('ENOENT'), 'x'), undefined);
  t.equal(exhaustedResource('ENOSPC', 'x'), undefined);
  t.end();
});

void t.test(
  'an exhausted resource is recognized in program output by the text of strerror, but not in a file name',
  (t) => {
    for (const [text, errno] of [
      ['fatal: write error: No space left on device', 'ENOSPC'],
      ["error: unable to create '/srv/x.lock': No space left on device; fatal: it ends", 'ENOSPC'],
      ['fatal: sha1 file write error: Disk quota exceeded', 'EDQUOT'],
      ['error: cannot open: Too many open files\nfatal: gone', 'EMFILE'],
      ['error: cannot open: Too many open files in system', 'ENFILE'],
      ['error: cannot fork() for index-pack: Resource temporarily unavailable', 'EAGAIN'],
      ['fatal: Out of memory, malloc failed (tried to allocate 12 bytes)', 'ENOMEM'],
      ['fatal: mmap failed: Cannot allocate memory', 'ENOMEM'],
      ["fatal: path 'a: No space left on device' does not exist", undefined],
      ['fatal: not a tree object', undefined],
      ['', undefined],
    ] as const)
      t.equal(errnoIn(text), errno, text);
    t.end();
  },
);
