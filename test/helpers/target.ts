import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendScripted, type ScriptedResponse } from './scripted-response.ts';

export interface Target {
  url: string;
  port: number;
  /** Requests so far, on all paths. */
  readonly count: number;
  /** Connections that are open now. */
  readonly connections: number;
  /** Requests so far on a path, ignoring queries. */
  countOf(path: string): number;
  /** Sets the response to every further request, or to those for one path. */
  respondWith(response: ScriptedResponse, path?: string): void;
  /** Chooses each response of a path by the request's number, from 1. */
  choose(path: string, by: (count: number) => ScriptedResponse): void;
  /** Every response set with its Unix ms: the ground truth for incidents. */
  readonly history: readonly { at: number; path: string | null; response: ScriptedResponse }[];
  /** Refuses connections until `listen`; the port stays the same. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** For probes whose checks are counted, because an examination is a further request. */
export const NO_EXAMINATIONS = Object.freeze({ PROBE_EXAMINATIONS: 'false' });

/** A real HTTP server to monitor. */
export async function startTarget(host = '127.0.0.1'): Promise<Target> {
  let defaultResponse: ScriptedResponse = {};
  let [count, connections] = [0, 0];
  const responses = new Map<string, (count: number) => ScriptedResponse>();
  const counts = new Map<string, number>();
  const history: { at: number; path: string | null; response: ScriptedResponse }[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] as string;
    count += 1;
    const ofPath = (counts.get(path) ?? 0) + 1;
    counts.set(path, ofPath);
    request.resume();
    sendScripted(response, responses.get(path)?.(ofPath) ?? defaultResponse);
  });
  server.on('connection', (socket) => {
    connections += 1;
    socket.once('close', () => (connections -= 1));
  });
  const listenOn = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, host, resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listenOn(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    port,
    get count() {
      return count;
    },
    get connections() {
      return connections;
    },
    countOf: (path) => counts.get(path) ?? 0,
    respondWith(response, path) {
      if (path === undefined) defaultResponse = response;
      else responses.set(path, () => response);
      history.push({ at: Date.now(), path: path ?? null, response });
    },
    choose: (path, by) => void responses.set(path, by),
    history,
    refuse: close,
    listen: () => listenOn(port),
    close,
  };
}
