// The table of the key pairs.
import { defineEntity, p, rows } from 'hexforge/plugin';

export const KeyTable = defineEntity({
  name: 'saml.Key',
  tableName: 'saml_key',
  properties: {
    id: p.text().primary(),
    certificate: p.text(),
    sealed: p.text(),
    createdAt: p.datetime(),
  },
});

/** A key pair. Its id is its purpose; the private key is sealed. */
export interface KeyRow {
  readonly id: string;
  readonly certificate: string;
  readonly sealed: string;
  readonly createdAt: Date;
}

export const keyRows = rows<KeyRow>(KeyTable);
