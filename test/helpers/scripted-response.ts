import type { ServerResponse } from 'node:http';

/** How a test server handles a request; by default 200 with an empty body, immediately. */
export interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Delay before the response. */
  delayMs?: number;
  /** Holds the response until this resolves. */
  after?: Promise<void>;
  /** `hang` never responds; `reset` breaks the connection with a TCP RST. */
  fault?: 'hang' | 'reset';
}

/** Sends a response; false if the connection is left without one. */
export function sendScripted(response: ServerResponse, script: ScriptedResponse): boolean {
  if (script.fault === 'hang') return false;
  if (script.fault === 'reset') {
    response.socket?.resetAndDestroy();
    return false;
  }
  const send = () => {
    response.writeHead(script.status ?? 200, script.headers);
    response.end(script.body);
  };
  if (script.after) void script.after.then(send);
  else if (script.delayMs) setTimeout(send, script.delayMs);
  else send();
  return true;
}
