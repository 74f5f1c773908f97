// Runs a program of the checks, which writes to the output of this process.
import { spawn } from 'node:child_process';
import { root } from './project-files.ts';

/** Resolves to whether the program ended with status 0. */
export async function program(
  command: string,
  arguments_: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value} `);
  process.stdout.write(`\n$ ${variables.join('')}${[command, ...arguments_].join(' ')}\n`);
  const child = spawn(command, arguments_, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NO_COLOR: '1', ...environment },
  });
  return await new Promise((resolve) => {
    child.once('error', (error) => {
      process.stdout.write(`${error.message}\n`);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
}
