// A file of a form, and the schema for it.
import Joi from 'joi';

/** A file that was sent with a form. */
export class UploadedFile {
  /** As the browser names it, without folders. */
  readonly name: string;
  readonly bytes: Uint8Array;

  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.bytes = bytes;
  }
}

/** A file of a form with `files: true`. */
export const file = (): Joi.ObjectSchema<UploadedFile> => Joi.object<UploadedFile>().instance(UploadedFile, 'file');
