import type { ServerResponse } from 'node:http';

/** How a test's server handles a request; by default 200 with an empty body, immediately. */
export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Waits this long before the answer. */
  delayMs?: number;
  /** Holds the answer until this resolves. */
  after?: Promise<void>;
  /** `hang` never answers; `reset` breaks the connection with a TCP RST. */
  fault?: 'hang' | 'reset';
}

/** Gives an answer; false if the connection is left without one. */
export function giveAnswer(response: ServerResponse, answer: ScriptedAnswer): boolean {
  if (answer.fault === 'hang') return false;
  if (answer.fault === 'reset') {
    response.socket?.resetAndDestroy();
    return false;
  }
  const send = () => {
    response.writeHead(answer.status ?? 200, answer.headers);
    response.end(answer.body);
  };
  if (answer.after) void answer.after.then(send);
  else if (answer.delayMs) setTimeout(send, answer.delayMs);
  else send();
  return true;
}
