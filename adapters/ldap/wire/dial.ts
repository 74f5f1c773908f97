// Opens connections to the directory: TCP, and TLS from the start or by StartTLS (RFC 4511, 4.14).
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Address } from '../options.ts';
import { messageLength, ProtocolViolation, readMessage } from './messages.ts';

/** Reported as the steps are done. */
export type Step = 'connect' | 'tls';

/** Milliseconds after which the system begins to look whether the other side of an idle connection is still there. */
const keepAliveMs = 15_000;

/** Bytes. */
const longestStartTlsAnswer = 4096;

/** ExtendedRequest 1.3.6.1.4.1.1466.20037 with the message id 1. */
const startTlsRequest = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from('1.3.6.1.4.1.1466.20037', 'latin1'),
]);

/** Returns a connected socket, encrypted as the address says. @throws {Error} also if the signal aborts. */
export async function dial(
  address: Address,
  signal: AbortSignal,
  done: (step: Step) => void = () => undefined,
): Promise<Socket> {
  signal.throwIfAborted();
  const plain = connect({ host: address.host, port: address.port, noDelay: true, keepAlive: true });
  plain.setKeepAlive(true, keepAliveMs);
  let socket: Socket = plain;
  const end = (): void => {
    plain.destroy();
    socket.destroy();
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    await once(plain, 'connect', { signal });
    done('connect');
    if (address.security === 'none') return plain;
    if (address.security === 'starttls') await startTls(plain, signal);
    socket = connectTls({
      socket: plain,
      host: address.host,
      ...(isIP(address.host) === 0 && { servername: address.host }),
      ...(address.ca !== undefined && { ca: address.ca }),
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
    });
    await once(socket, 'secureConnect', { signal });
    done('tls');
    return socket;
  } catch (error) {
    end();
    // An error that a destroyed socket still emits.
    socket.on('error', () => undefined);
    plain.on('error', () => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/**
 * Asks for StartTLS. The server must send nothing behind its answer: what it sent before the handshake could come from
 * somebody in between, and must not be read as if it were encrypted.
 */
async function startTls(plain: Socket, signal: AbortSignal): Promise<void> {
  let received = Buffer.alloc(0);
  const { promise: answer, resolve, reject } = Promise.withResolvers<Buffer>();
  const take = (bytes: Buffer): void => {
    received = Buffer.concat([received, bytes]);
    try {
      const length = messageLength(received);
      if (received.length > (length ?? longestStartTlsAnswer))
        throw new ProtocolViolation('it sent more than its answer to StartTLS');
      if (length === received.length) resolve(received);
      else if (received.length > longestStartTlsAnswer) throw new ProtocolViolation('its answer is too long');
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const closed = (): void => reject(new Error('The directory closed the connection'));
  const aborted = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  plain.on('data', take);
  plain.once('close', closed);
  plain.once('error', reject);
  signal.addEventListener('abort', aborted, { once: true });
  try {
    plain.write(startTlsRequest);
    const { id, kind, code } = readMessage(await answer);
    if (id !== 1 || kind !== 'extended') throw new ProtocolViolation('it did not answer to StartTLS');
    if (code !== 0) throw new Error(`The directory refused StartTLS (result code ${String(code)})`);
  } finally {
    plain.off('data', take);
    plain.off('close', closed);
    plain.off('error', reject);
    plain.pause();
    signal.removeEventListener('abort', aborted);
  }
}
