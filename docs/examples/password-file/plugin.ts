// The plugin "password-file": people sign in with the passwords of a file. It provides a port and nothing else.
import { definePlugin, shape, word } from 'hexforge/plugin';
import { personOf, unreadable } from './people.ts';

export default definePlugin({
  name: 'password-file',
  version: '1.0.0',
  api: '^0.2.0',
  config: shape({ file: word().description('The file of people, as an absolute path') }),
  environment: { PASSWORD_FILE: 'file' },
  provides: {
    // It says who. Whether the account is there, suspended or an administrator's is the forge's to know. A file that
    // cannot be read rejects: nobody is let in, and the one who asks is told 503.
    PasswordDirectory: (_parts, { config }) => ({
      async check(username, password) {
        const found = await personOf(config.file, username, password);
        return found === undefined ? undefined : { username: found };
      },
    }),
  },
  probes: (_parts, { config }) => [{ name: 'file', check: () => unreadable(config.file) }],
});
