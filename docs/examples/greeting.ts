// The plugin of docs/writing-a-plugin.md: a greeting that anyone may read, with a word from the configuration.
import { anyone, api, definePlugin, shape, text, word, type TypeOf } from 'hexforge/plugin';

const greetingJson = shape({ text: text() }).id('Greeting');
type GreetingJson = TypeOf<typeof greetingJson>;

export default definePlugin({
  name: 'greeting',
  version: '1.0.0',
  api: '^0.2.0',
  config: shape({ word: word().default('Hello').description('What a greeting begins with') }),
  needs: ['Users'],
  build: ({ config, Users }) => ({
    async greet(name: string): Promise<GreetingJson> {
      const user = await Users.byUsername(name);
      // A display name may be empty.
      return { text: `${config.word}, ${user === undefined ? 'stranger' : user.displayName || user.username}!` };
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
      params: shape({ name: word().max(39) }),
      result: greetingJson,
      run: (_call, { params: { name } }) => greet(name),
    }),
  ],
});
