// Fetches one merge request, with the details that lists omit.
import type { DiffAlgorithm } from '#core/repositories/index';
import { knownRequest, type Reading } from '../model/held-request.ts';
import type { MergeView } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { viewOf } from '../model/view.ts';

/** @throws {NotFound} */
export const fetchRequest =
  (parts: MergeParts) =>
  (
    { resource, call }: Reading,
    which: { readonly number: number; readonly algorithm?: DiffAlgorithm | undefined },
  ): Promise<MergeView> =>
    viewOf(parts, resource, call, which);

/** The id of a request, as its events use it. @throws {NotFound} */
export const idOfRequest =
  (parts: MergeParts) =>
  async ({ resource }: Reading, { number }: { readonly number: number }): Promise<string> =>
    (await knownRequest(parts, resource, number)).id;
