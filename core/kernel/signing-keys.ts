// The keys this instance signs with for others, replaced at an operator's word.
import { declarePort } from './ports.ts';

/** The port of the keys that ID tokens are signed with. */
export interface SigningKeyRotation {
  /** Signs with a new key from here on; the one before is published while what it signed is good. @returns its id. */
  rotate(): Promise<{ readonly kid: string }>;
}

declare module './ports.ts' {
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
