// Parses forms with files (RFC 7578), as browsers send them. The body is collected within its bound; the bytes of a
// file are a part of it.
import type { IncomingMessage } from 'node:http';
import { UploadedFile } from '../descriptor/uploaded-file.ts';
import {
  badForm,
  collect,
  defaultMaxBytes,
  FormFields,
  formText,
  mostFields,
  readForm,
  type ReadBody,
} from './parsed-body.ts';

const longestHead = 4096;
/** The most bytes of all texts of a form; files count to the bound of the body alone. */
const mostTextBytes = defaultMaxBytes;

/** As `readForm`, and also `multipart/form-data`. An empty file without a name is absent. */
export const readFormWithFiles: ReadBody = async (message, maxBytes, take) => {
  const boundary = boundaryOf(message);
  if (boundary === undefined) return readForm(message, maxBytes, take);
  const fields = new FormFields<string | UploadedFile>();
  let [parts, textBytes] = [0, 0];
  for (const { head, content } of partsOf(await collect(message, maxBytes, take), boundary)) {
    parts += 1;
    if (parts > mostFields) throw badForm(`It has more than ${mostFields} fields`);
    const name = parameter(head, 'name');
    if (name === undefined) throw badForm('A part of it has no name');
    const fileName = parameter(head, 'filename');
    if (fileName !== undefined) {
      if (fileName !== '' || content.length > 0) fields.add(name, new UploadedFile(baseName(fileName), content));
    } else if (content.length > 0) {
      textBytes += content.length;
      if (textBytes > mostTextBytes) throw badForm(`Its texts have more than ${mostTextBytes} bytes`);
      fields.add(name, formText(content));
    }
  }
  return fields.all();
};

/** RFC 2046, section 5.1.1: at most 70 characters. */
function boundaryOf({ headers }: IncomingMessage): string | undefined {
  const found = /^multipart\/form-data *;.*\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    headers['content-type'] ?? '',
  );
  return found?.[1] ?? found?.[2];
}

function* partsOf(bytes: Buffer, boundary: string): Generator<{ readonly head: string; readonly content: Buffer }> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const first = delimiter.subarray(2);
  if (!bytes.subarray(0, first.length).equals(first)) throw badForm('It does not begin with its boundary');
  let at = first.length;
  while (bytes.toString('latin1', at, at + 2) !== '--') {
    if (bytes.toString('latin1', at, at + 2) !== '\r\n') throw badForm('A boundary is not at the end of its line');
    const headEnd = bytes.subarray(at, at + longestHead).indexOf('\r\n\r\n');
    if (headEnd === -1) throw badForm(`The head of a part is longer than ${longestHead} bytes, or does not end`);
    const start = at + headEnd + 4;
    const end = bytes.indexOf(delimiter, start);
    if (end === -1) throw badForm('Its last boundary is missing');
    yield { head: formText(bytes.subarray(at, at + headEnd)), content: bytes.subarray(start, end) };
    at = end + delimiter.length;
  }
}

const escapes: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

const parameterForms = { name: /; *name="([^"]*)"/i, filename: /; *filename="([^"]*)"/i } as const;

/** A parameter of Content-Disposition. Browsers escape quotes and line breaks alone (HTML, "Multipart form data"). */
function parameter(head: string, name: keyof typeof parameterForms): string | undefined {
  const [, parameters = ''] = /^content-disposition: *form-data *(;.*)$/im.exec(head) ?? [];
  const value = parameterForms[name].exec(parameters)?.[1];
  return value?.replaceAll(/%22|%0D|%0A/gi, (escape) => escapes[escape.toUpperCase()] ?? escape);
}

const baseName = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
