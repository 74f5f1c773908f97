// The JSON shapes of branch protection.
import { camelCased, count, flag, Joi, list, maybe, presenter, shape, word, type TypeOf } from 'hexforge/plugin';

export const protectionJson = shape({
  allow_force_push: flag(),
  allow_deletion: flag(),
  push_roles: list(word()),
  required_approvals: count(),
  dismiss_stale_approvals: flag(),
  required_pipeline: shape({ on_open: flag(), on_merge: flag() }),
}).id('BranchProtection');
export const presentProtection = presenter(protectionJson);

const strict = () => maybe(flag().strict());

export const pushRoles = () =>
  list(
    word()
      .max(100)
      .pattern(/^[^\p{Cc}]+$/u, 'no control characters'),
  ).max(50);

export const protectionBody = shape({
  allow_force_push: strict().description('Default false'),
  allow_deletion: strict().description('By a push; default false'),
  push_roles: maybe(
    pushRoles().description('Roles that may push directly; empty: nobody. Default write, maintain, admin'),
  ),
  required_approvals: maybe(Joi.number().strict().integer().min(0).max(100).description('Default 0')),
  dismiss_stale_approvals: strict().description(
    'A push that changes the diff of a merge request makes its approvals pending; default false',
  ),
  required_pipeline: maybe(shape({ on_open: strict(), on_merge: strict() }).description('Default false and false')),
}).id('BranchProtectionSet');

export const wishedProtection = ({ required_pipeline, ...body }: TypeOf<typeof protectionBody>) => ({
  ...camelCased(body),
  requiredPipeline: camelCased(required_pipeline ?? {}),
});
