// The JSON shapes of the administration of the index.
import { count, flag, Joi, maybe, orNull, shape, word } from 'hexforge/plugin';
import type { IndexProgress } from 'hexforge/search';

export const progressJson = shape({
  size: orNull(
    shape({ files: count(), symbols: count(), documents: count(), bytes: orNull(count()) }).id('SearchIndexSize'),
  ).description('Null while there is no search back end, or it does not answer'),
  waiting: count().description('Sources and documents that wait to be indexed'),
  lag_seconds: count().description('How long the oldest of them has waited'),
  failing: count().description('Those that failed at least three times; counted up to 1,000'),
  rebuilding: flag().description('Whether a new index is filled, which then replaces the one that answers'),
  symbol_restarts: Joi.object<Readonly<Record<string, number>>>()
    .pattern(/./, count())
    .required()
    .description('How many files ended the worker that reads definitions, by language, since the start'),
}).id('SearchIndexProgress');

export const reindexBody = shape({
  repository: maybe(word().max(300).description('owner/name; absent: everything')),
});

export const presentProgress = ({ size, waiting, lagSeconds, failing, rebuilding, restarts }: IndexProgress) => ({
  size: size === undefined ? null : { ...size, bytes: size.bytes ?? null },
  waiting,
  lag_seconds: lagSeconds,
  failing,
  rebuilding,
  symbol_restarts: { ...restarts },
});
