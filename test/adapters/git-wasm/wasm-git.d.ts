// Types of the part of wasm-git that tests use; the package has none.
declare module 'wasm-git/lg2.js' {
  interface Libgit2 {
    readonly FS: {
      writeFile(path: string, text: string): void;
      mkdir(path: string): void;
      mount(type: unknown, options: { readonly root: string }, path: string): void;
    };
    readonly NODEFS: unknown;
    /** @returns the exit code. */
    callMain(args: readonly string[]): number;
  }
  type Print = (line: string) => void;
  export default function open(output: { readonly print: Print; readonly printErr: Print }): Promise<Libgit2>;
}
