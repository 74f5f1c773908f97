// Clones, fetches and pushes of clients over smart HTTP.
import { mergeRefs, type GitBackend } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { ReceivePack } from '../push/receive-pack.ts';
import type { Refs } from '../refs/refs.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { flushPkt, pktLine } from '#adapters/git-common/transport/pkt-line';
import { isServed, UploadPack } from './upload-pack.ts';

const pushCapabilities =
  'report-status delete-refs side-band-64k quiet atomic ofs-delta no-thin object-format=sha1 agent=hexforge-git-wasm';
/** Versions that are known, by service. Others are served as version 0. */
const versions = { 'git-upload-pack': /^version=[012]$/, 'git-receive-pack': /^version=1$/ } as const;

export function transfers(
  foundation: Foundation,
  { refs, receivePack }: { readonly refs: Refs; readonly receivePack: ReceivePack },
) {
  const { inside, changing } = foundation;
  const uploadPack = new UploadPack({ ...foundation, refs });
  /** The refs of merge requests are not advertised for pushes, because there may be very many. */
  const forPushes = async (location: RepositoryLocation): Promise<Buffer> => {
    const shown = (await refs.stored(location)).filter(
      ({ name }) => isServed(name) && !name.startsWith(`${mergeRefs}/`),
    );
    const lines =
      shown.length === 0 ? [`${'0'.repeat(40)} capabilities^{}`] : shown.map(({ name, oid }) => `${oid} ${name}`);
    return Buffer.concat([
      ...lines.map((line, index) => pktLine(index === 0 ? `${line}\0${pushCapabilities}\n` : `${line}\n`)),
      flushPkt,
    ]);
  };
  return {
    advertise: inside(
      async (location, { service, protocol: given, signal }: Parameters<GitBackend['advertise']>[1]) => {
        signal.throwIfAborted();
        const protocol = given !== undefined && versions[service].test(given) ? given : undefined;
        const bytes =
          service === 'git-upload-pack' ? await uploadPack.advertise(location, protocol) : await forPushes(location);
        // gitprotocol-http(5): version 2 has no service header.
        const head = protocol === 'version=2' ? [] : [pktLine(`# service=${service}\n`), flushPkt];
        return once(Buffer.concat([...head, bytes]));
      },
    ),
    uploadPack: inside((location, request: Parameters<GitBackend['uploadPack']>[1]) =>
      uploadPack.serve(location, {
        ...request,
        protocol:
          request.protocol !== undefined && versions['git-upload-pack'].test(request.protocol)
            ? request.protocol
            : undefined,
      }),
    ),
    receivePack: changing((location, request: Parameters<GitBackend['receivePack']>[1]) =>
      receivePack.receive(location, request),
    ),
  } satisfies Partial<GitBackend>;
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
