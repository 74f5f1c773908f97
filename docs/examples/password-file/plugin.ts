// The plugin "password-file": people sign in with the passwords of a file. It provides one port and nothing else.
import { definePlugin, shape, word } from 'hexforge/plugin';
import { personOf, unreadable } from './people.ts';

export default definePlugin({
  name: 'password-file',
  version: '1.0.0',
  api: '^0.2.0',
  config: shape({ file: word().description('The file of people, as an absolute path') }),
  environment: { PASSWORD_FILE: 'file' },
  provides: {
    // The port only identifies the person. The forge checks whether the account exists, is suspended or is an
    // administrator. If the file cannot be read, `check` rejects: the sign-in is answered with 503.
    PasswordDirectory: (_parts, { config }) => ({
      async check(username, password) {
        const found = await personOf(config.file, username, password);
        return found === undefined ? undefined : { username: found };
      },
    }),
  },
  probes: (_parts, { config }) => [{ name: 'file', check: () => unreadable(config.file) }],
});
