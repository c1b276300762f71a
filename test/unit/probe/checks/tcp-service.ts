import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Issued } from './certificates.ts';
import { startRawServer, type RawServer } from './raw-server.ts';

/** A service's response to a line that matches `to`. */
export interface ScriptedResponse {
  to: RegExp;
  send: string;
  /** Starts TLS afterwards. */
  secure?: boolean;
}

export interface Script {
  greeting?: string;
  responses?: readonly ScriptedResponse[];
  certificate?: Issued;
  /** Greets again after the TLS handshake. */
  greetsAgain?: boolean;
  host?: string;
}

/** A line-based service that follows its script on every connection; `lines` are those that it received. */
export async function startTcpService(script: Script): Promise<RawServer & { lines: string[] }> {
  const lines: string[] = [];
  const attend = (socket: Socket, rest = ''): void => {
    socket.on('error', () => undefined);
    const onData = (chunk: Buffer): void => {
      const complete = (rest + chunk.toString('latin1')).split('\r\n');
      rest = complete.pop() ?? '';
      for (const line of complete) {
        lines.push(line);
        const response = script.responses?.find(({ to }) => to.test(line));
        if (!response) continue;
        socket.write(response.send, 'latin1');
        if (!response.secure) continue;
        socket.off('data', onData);
        const { cert, key } = script.certificate as Issued;
        const secured = new TLSSocket(socket, { isServer: true, cert, key });
        if (script.greetsAgain) secured.write(script.greeting ?? '', 'latin1');
        attend(secured);
        return;
      }
    };
    socket.on('data', onData);
  };
  const server = await startRawServer(() => undefined, {
    ...(script.host === undefined ? {} : { host: script.host }),
    onConnect: (socket) => {
      socket.removeAllListeners('data');
      socket.write(script.greeting ?? '', 'latin1');
      attend(socket);
    },
  });
  return Object.assign(server, { lines });
}
