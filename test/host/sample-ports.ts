// Ports, scopes, permissions and events that only exist for the host's specs.
import { declarePort } from '#core/kernel/ports';

export interface Greeter {
  greet(): Promise<string>;
}

declare module '#core/kernel/ports' {
  interface Ports {
    SampleGreeter: Greeter;
    SampleCritical: Greeter;
    SampleUnavailable: Greeter;
  }
  interface OptionalPorts {
    SampleExtra: Greeter;
    SampleHidden: Greeter;
  }
  interface PluralPorts {
    SampleVoices: Greeter;
  }
}

declare module '#core/kernel/access/scopes' {
  interface Scopes {
    'sample.read': true;
  }
}

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'sample.happened': { readonly what: string };
  }
}

declare module '#core/kernel/services/settings' {
  interface SettingValues {
    'sample.enabled': boolean;
    'sample.size': number;
    'sample.name': string;
  }
}

declare module '#core/kernel/services/repository-settings' {
  interface RepositorySettingValues {
    'sample.loud': boolean;
    'sample.times': number;
  }
}

declarePort('SampleGreeter', { arity: 'single', component: 'greeter', critical: false, absent: 'refuse' });
declarePort('SampleCritical', { arity: 'single', component: 'critical greeter', critical: true, absent: 'refuse' });
declarePort('SampleUnavailable', {
  arity: 'single',
  component: 'sleepy greeter',
  critical: false,
  absent: 'unavailable',
});
declarePort('SampleExtra', { arity: 'optional', component: 'extra greeter', critical: false, absent: 'unavailable' });
declarePort('SampleHidden', { arity: 'optional', component: 'hidden greeter', critical: false, absent: 'hidden' });
declarePort('SampleVoices', { arity: 'plural', component: 'voices', critical: false, absent: 'degraded' });

export const greeter = (text: string): Greeter => ({ greet: async () => text });
