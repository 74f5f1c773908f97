// Shapes of history over HTTP: commits, comparisons, blame, archives, languages, and files written through the API
// (document D, "Repositories").
import { Joi, object } from 'hexforge/plugin';
import { count, path, sha, text } from './parts.ts';

export interface RestPath {
  readonly owner: string;
  readonly repo: string;
  readonly rest: string;
}
export interface RefPath {
  readonly owner: string;
  readonly repo: string;
  readonly ref: string;
}

/** Where there is none: `.` names nothing in git, so it is 404. */
const rest = (description: string) => Joi.string().required().failover('.').description(description);

export const commitPath = object<RefPath>({
  ...path,
  ref: rest('A commit by 4 to 40 digits, a branch or a tag; may hold slashes'),
});
export const comparePath = object<RestPath>({
  ...path,
  rest: rest('BASE...HEAD: two branches, tags or commits, which may hold slashes'),
});
export const archivePath = object<RestPath>({
  ...path,
  rest: rest('REF.tar.gz or REF.zip: a branch, tag or commit, which may hold slashes'),
});

export interface CommitsQuery {
  readonly ref?: string;
  readonly path?: string;
  readonly author?: string;
  readonly since?: string;
  readonly until?: string;
  readonly page?: string;
  readonly per_page?: string;
}
const optional = (description: string) => Joi.string().empty('').description(description);
export const commitsQuery = object<CommitsQuery>({
  ref: optional('Branch, tag or commit; the default branch where it is absent or empty'),
  path: optional('Only commits that changed this file or folder'),
  author: optional("A part of the author's name or address, as it is written"),
  since: optional('Only commits of this time or later: RFC 3339, or a date, which begins at 00:00 UTC'),
  until: optional('Only commits of this time or earlier: RFC 3339, or a date, which is included'),
  page: Joi.string().empty('').description('1-based; below 1 is 1'),
  per_page: Joi.string().empty('').description('Default 25, at most 100'),
});

export interface SignatureJson {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}
const signature = object<SignatureJson>({ name: text(), email: text(), date: Joi.string().isoDate().required() })
  .required()
  .id('Signature');

export interface CommitJson {
  readonly sha: string;
  readonly message: string;
  readonly author: SignatureJson;
  readonly committer: SignatureJson;
  readonly parents: string[];
  readonly verified: boolean;
}
const commit = {
  sha: sha(),
  message: text(),
  author: signature,
  committer: signature,
  parents: Joi.array<string[]>().items(Joi.string().hex().length(40)).required(),
  verified: Joi.boolean().required().description('Signatures are not verified yet: always false'),
};
export const commitJson = object<CommitJson>(commit).id('Commit');
export const commitList = Joi.array<CommitJson[]>().items(commitJson);

export interface FileChangeJson {
  readonly filename: string;
  readonly previous_filename?: string;
  readonly status: 'added' | 'modified' | 'removed' | 'renamed';
  readonly additions: number;
  readonly deletions: number;
  readonly changes: number;
  readonly is_binary: boolean;
  readonly patch?: string;
}
const fileChange = object<FileChangeJson>({
  filename: text(),
  previous_filename: Joi.string().description('Of a renamed file'),
  status: Joi.string().valid('added', 'modified', 'removed', 'renamed').required(),
  additions: count(),
  deletions: count(),
  changes: count(),
  is_binary: Joi.boolean().required(),
  patch: Joi.string().description(
    'Hunks; absent where there are none, over 128 Ki characters in one file and 512 KiB in all',
  ),
}).id('FileChange');
const files = () => Joi.array<FileChangeJson[]>().items(fileChange).required().description('At most 3000');

export interface CommitDetailJson extends CommitJson {
  readonly stats: { readonly additions: number; readonly deletions: number; readonly total: number };
  readonly files: FileChangeJson[];
}
export const commitDetailJson = object<CommitDetailJson>({
  ...commit,
  stats: object<CommitDetailJson['stats']>({ additions: count(), deletions: count(), total: count() }).required(),
  files: files(),
}).id('CommitDetail');

export interface ComparisonJson {
  readonly ahead_by: number;
  readonly behind_by: number;
  readonly merge_base: string | null;
  readonly commits: CommitJson[];
  readonly files: FileChangeJson[];
}
export const comparisonJson = object<ComparisonJson>({
  ahead_by: count(),
  behind_by: count(),
  merge_base: sha().allow(null),
  commits: Joi.array<CommitJson[]>().items(commitJson).required().description('Newest first, at most 250'),
  files: files(),
}).id('Comparison');

export interface BlameLineJson {
  readonly line_number: number;
  readonly content: string;
  readonly sha: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly author_date: string;
}
export const blameJson = Joi.array<BlameLineJson[]>().items(
  object<BlameLineJson>({
    line_number: Joi.number().integer().min(1).required(),
    content: text(),
    sha: sha(),
    author_name: text(),
    author_email: text(),
    author_date: Joi.string().isoDate().required(),
  }).id('BlameLine'),
);

export const languagesJson = Joi.object<Readonly<Record<string, number>>>()
  .pattern(Joi.string(), Joi.number().integer().min(1))
  .id('Languages');

interface AuthorBody {
  readonly name: string;
  readonly email: string;
  readonly date?: string;
}
interface Change {
  readonly message: string;
  readonly branch?: string;
  readonly author?: AuthorBody;
}
const change = {
  message: Joi.string().required(),
  branch: Joi.string().description('Absent: the default branch'),
  author: object<AuthorBody>({
    name: Joi.string().required(),
    email: Joi.string().required(),
    date: Joi.string().description('RFC 3339; now where it is absent'),
  }).description('Absent: the caller'),
};
export interface WriteBody extends Change {
  readonly content: string;
  readonly sha?: string;
}
export const writeBody = object<WriteBody>({
  ...change,
  content: Joi.string().allow('').required().description('Base64, in one line or several'),
  sha: Joi.string().description('Of the file that is replaced; absent for a new one'),
}).id('ContentsWrite');
export interface RemoveBody extends Change {
  readonly sha: string;
}
export const removeBody = object<RemoveBody>({
  ...change,
  sha: Joi.string().required().description('Of the file that is removed'),
}).id('ContentsRemove');

export interface WrittenJson {
  readonly content: {
    readonly name: string;
    readonly path: string;
    readonly sha: string;
    readonly size: number;
    readonly mode: string;
    readonly lang: string;
  } | null;
  readonly commit: CommitJson;
}
export const writtenJson = object<WrittenJson>({
  content: object<NonNullable<WrittenJson['content']>>({
    name: text(),
    path: text(),
    sha: sha(),
    size: count(),
    mode: text(),
    lang: text(),
  })
    .allow(null)
    .required()
    .description('null where the file was removed'),
  commit: object<CommitJson>(commit).required(),
}).id('ContentsWritten');
