// The content of a commit object, as git writes it.
import type { Oid } from '#core/repositories/git/git-backend';
import type { Signature } from '#core/repositories/git/git-history';

export interface CommitParts {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Signature;
  readonly committer: Signature;
  /** Without the newline at its end. */
  readonly message: string;
}

export function commitContent({ tree, parents, author, committer, message }: CommitParts): Buffer {
  const head = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signatureText(author)}`,
    `committer ${signatureText(committer)}`,
  ];
  return Buffer.from(`${head.join('\n')}\n\n${message}\n`);
}

/** `Name <email> 1700000000 +0000` */
export const signatureText = ({ name, email, date, offset = '+0000' }: Signature): string =>
  `${name} <${email}> ${Math.floor(date.getTime() / 1000)} ${offset}`;
