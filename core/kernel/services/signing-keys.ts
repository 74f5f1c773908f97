// The port that rotates the keys with which this instance signs ID tokens.
import { declarePort } from '../ports.ts';

/** The port that rotates the signing keys of ID tokens. */
export interface SigningKeyRotation {
  /**
   * Signs with a new key from this call onwards. The previous key stays published while its signatures are valid.
   * @returns the id of the new key.
   */
  rotate(): Promise<{ readonly kid: string }>;
}

declare module '../ports.ts' {
  interface OptionalPorts {
    SigningKeyRotation: SigningKeyRotation;
  }
}

declarePort('SigningKeyRotation', {
  arity: 'optional',
  component: 'signing keys (plugin "oauth-server")',
  critical: true,
  absent: 'degraded',
  methods: ['rotate'],
});
