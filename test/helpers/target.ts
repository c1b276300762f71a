import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { giveAnswer, type ScriptedAnswer } from './scripted-answer.ts';

export interface Target {
  url: string;
  port: number;
  /** Requests so far, on all paths. */
  readonly count: number;
  /** Requests so far on a path, ignoring queries. */
  countOf(path: string): number;
  /** Sets the answer from now on, to every request or to those of one path. */
  answer(answer: ScriptedAnswer, path?: string): void;
  /** Chooses each answer of a path by the number of the request, from 1. */
  choose(path: string, by: (count: number) => ScriptedAnswer): void;
  /** Every change of `answer` with its Unix ms: the ground truth for incidents. */
  readonly history: readonly { at: number; path: string | null; answer: ScriptedAnswer }[];
  /** Refuses connections until `listen`; the port stays the same. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** A real HTTP server to monitor. */
export async function startTarget(): Promise<Target> {
  let everywhere: ScriptedAnswer = {};
  let count = 0;
  const answers = new Map<string, (count: number) => ScriptedAnswer>();
  const counts = new Map<string, number>();
  const history: { at: number; path: string | null; answer: ScriptedAnswer }[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] as string;
    count += 1;
    const ofPath = (counts.get(path) ?? 0) + 1;
    counts.set(path, ofPath);
    request.resume();
    giveAnswer(response, answers.get(path)?.(ofPath) ?? everywhere);
  });
  const listenOn = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listenOn(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get count() {
      return count;
    },
    countOf: (path) => counts.get(path) ?? 0,
    answer(answer, path) {
      if (path === undefined) everywhere = answer;
      else answers.set(path, () => answer);
      history.push({ at: Date.now(), path: path ?? null, answer });
    },
    choose: (path, by) => void answers.set(path, by),
    history,
    refuse: close,
    listen: () => listenOn(port),
    close,
  };
}
