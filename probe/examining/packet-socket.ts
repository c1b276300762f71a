import type { RawSockets, Socket } from 'raw-socket';
import { ICMP, type Family } from '../checks/icmp/packet.ts';
import { acceptIcmpTypes, allowFragments, isNothingToRead, setTtl } from '../checks/icmp/raw-options.ts';

const MAX_PACKET_BYTES = 2048;
/** Maximum packets read in a row, so that a flood does not block other work. */
const MAX_READ_BATCH = 256;
/** A TCP socket also receives packets of checks, so it stops reading after this many. */
const MAX_PACKETS = 20_000;

interface PacketSocketOptions {
  raw: RawSockets;
  family: Family;
  protocol: number;
  /** The ICMP types to receive. */
  icmpTypes?: readonly number[];
  /** `packet` begins with the IP header for IPv4, and is valid until the next one. */
  onPacket: (packet: Buffer, source: string) => void;
}

/** A raw socket that reads until it is closed or fails. A failure only loses responses. */
export class PacketSocket {
  readonly #options: PacketSocketOptions;
  readonly #socket: Socket;
  readonly #buffer = Buffer.alloc(MAX_PACKET_BYTES);
  #packets = 0;
  #isClosed = false;

  /** @throws Error if this process may not open raw sockets, or the system lacks the family. */
  constructor(options: PacketSocketOptions) {
    this.#options = options;
    const { raw, family, protocol, icmpTypes } = options;
    const addressFamily = family === 4 ? raw.AddressFamily.IPv4 : raw.AddressFamily.IPv6;
    this.#socket = raw.createSocket({ addressFamily, protocol, bufferSize: MAX_PACKET_BYTES });
    if (icmpTypes) acceptIcmpTypes(this.#socket, family, icmpTypes);
    this.#socket.on('message', (packet, source) => {
      this.#take(packet, source);
      this.#readMore();
    });
    // raw-socket closes a socket after an error.
    this.#socket.on('error', (error) => void (this.#isClosed ||= !isNothingToRead(error)));
    this.#socket.on('close', () => void (this.#isClosed = true));
  }

  /** Why the packet could not be sent; null if it was. */
  send(packet: Buffer, length: number, address: string, ttl: number): string | null {
    // A closed raw-socket would open another.
    if (this.#isClosed) return 'closed';
    try {
      setTtl(this.#options.raw, this.#socket, this.#options.family, ttl);
      this.#socket.wrap.send(packet, 0, length, address, () => {});
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Like `send`, for a packet that must not be fragmented. Null if this system can't send such packets. */
  sendWhole(packet: Buffer, length: number, address: string, ttl: number): { problem: string | null } | null {
    const { raw, family } = this.#options;
    if (this.#isClosed || !allowFragments(raw, this.#socket, family, false)) return null;
    const problem = this.send(packet, length, address, ttl);
    allowFragments(raw, this.#socket, family, true);
    return { problem };
  }

  close(): void {
    if (!this.#isClosed) this.#socket.close();
    this.#isClosed = true;
  }

  /** raw-socket reads one packet per turn of the event loop; more may be waiting. */
  #readMore(): void {
    try {
      for (let left = MAX_READ_BATCH; left > 0 && !this.#isClosed; left -= 1) {
        this.#socket.wrap.recv(this.#buffer, (buffer, length, source) =>
          this.#take(buffer.subarray(0, length), source));
      }
    } catch (error) {
      if (!isNothingToRead(error as Error)) this.close();
    }
  }

  #take(packet: Buffer, source: string): void {
    if (this.#isClosed) return;
    this.#packets += 1;
    this.#options.onPacket(packet, source);
    if (this.#packets >= MAX_PACKETS && this.#options.protocol !== ICMP) this.close();
  }
}
