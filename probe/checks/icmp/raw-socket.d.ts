/** The parts of raw-socket used by echo sockets; the package has no types. */
declare module 'raw-socket' {
  interface Wrap {
    /** Sends immediately. @throws Error with the system's message; it has no code. */
    send(packet: Buffer, offset: number, length: number, address: string, sent: () => void): void;
    /** Reads one packet into `buffer`. @throws Error, also if there is none. */
    recv(buffer: Buffer, handle: (buffer: Buffer, length: number, source: string) => void): void;
  }
  interface Socket {
    readonly wrap: Wrap;
    /** One packet; its bytes are valid until the next is read. */
    on(event: 'message', handle: (packet: Buffer, source: string) => void): this;
    on(event: 'error', handle: (error: Error) => void): this;
    on(event: 'close', handle: () => void): this;
    setOption(level: number, option: number, value: number): void;
    setOption(level: number, option: number, value: Buffer, length: number): void;
    /** While paused, the socket doesn't keep the process alive. */
    pauseRecv(): this;
    resumeRecv(): this;
    close(): this;
  }
  interface RawSockets {
    /** @throws Error with the system's message, for example without permission to open raw sockets. */
    createSocket(options: { addressFamily: number; protocol: number; bufferSize: number }): Socket;
    readonly AddressFamily: { readonly IPv4: number; readonly IPv6: number };
    readonly Protocol: { readonly ICMP: number; readonly ICMPv6: number };
    readonly SocketLevel: Record<'SOL_SOCKET' | 'IPPROTO_IP' | 'IPPROTO_IPV6', number>;
    readonly SocketOption: Record<'SO_RCVBUF' | 'IP_TTL' | 'IPV6_UNICAST_HOPS', number>;
  }
  const rawSockets: RawSockets;
  export default rawSockets;
  export type { RawSockets, Socket };
}
