// Finds people by references such as `@ada`.
import type { ReferenceFinder } from 'hexforge/plugin';
import type { IdentityUseCases } from '#core/identity/use-cases';

export const userReferences = ({ mentioned }: Pick<IdentityUseCases, 'mentioned'>): ReferenceFinder => ({
  sign: '@',
  async find(references) {
    const found = new Map((await mentioned(references)).map((user) => [user.username.toLowerCase(), user]));
    return new Map(
      references.flatMap((reference) => {
        const user = found.get(reference.toLowerCase());
        return user === undefined
          ? []
          : [[reference, { path: `/${encodeURIComponent(user.username)}`, title: user.displayName }]];
      }),
    );
  },
});
