// The library samlify, loaded when it is first needed, because loading it takes almost a tenth of a second.
import type * as Samlify from 'samlify';

export type MetadataInterface = NonNullable<Parameters<typeof Samlify.SamlLib.verifySignature>[1]['metadata']>;

let loaded: Promise<typeof Samlify> | undefined;

/**
 * samlify has module-wide settings, a schema validator and an XML parser. Neither is changed here: only its flows need
 * the validator, and they are not used.
 */
export const samlify = (): Promise<typeof Samlify> => (loaded ??= import('samlify'));
