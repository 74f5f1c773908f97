// The base of classes that are built from other parts of the adapter.

export class WithParts<P> {
  protected readonly parts: P;

  constructor(parts: P) {
    this.parts = parts;
  }
}
