// The id in the path of a form, whose parameters have no shape of their own.
import { NotFound, uuidPattern } from 'hexforge/plugin';

/** @throws {NotFound} if it is not a uuid. */
export function knownId(text: string): string {
  if (uuidPattern.test(text)) return text.toLowerCase();
  throw new NotFound('Not found');
}
