// The plugin of docs/writing-a-plugin.md: a greeting that anyone may read, with a word from the configuration.
import { anyone, api, definePlugin, Joi, object } from 'hexforge/plugin';

interface GreetingConfig {
  readonly word: string;
}

interface Greeting {
  readonly text: string;
}

const greeting = object<Greeting>({ text: Joi.string().required() }).id('Greeting');
const params = object<{ name: string }>({ name: Joi.string().max(39).required() });

export default definePlugin({
  name: 'greeting',
  version: '1.0.0',
  api: '^0.1.0',
  config: object<GreetingConfig>({ word: Joi.string().default('Hello').description('What a greeting begins with') }),
  needs: ['Users'],
  build: ({ config, Users }) => ({
    async greet(name: string): Promise<Greeting> {
      const user = await Users.byUsername(name);
      return { text: `${config.word}, ${user?.displayName ?? 'stranger'}!` };
    },
  }),
  routes: ({ greet }) => [
    api({
      id: 'greetingRead',
      summary: 'Greets a user',
      method: 'GET',
      path: '/{name}',
      access: anyone,
      scope: null,
      meter: 'api.read',
      params,
      result: greeting,
      run: (_call, { params: { name } }) => greet(name),
    }),
  ],
});
