import { effect, signal } from '@preact/signals';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { requestHeaders } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { chosenProject, sessionEnded } from '../session/chosen.ts';
import { me } from '../session/session.ts';

export const KINDS = [
  'result', 'monitor.state', 'monitor.region', 'monitor.changed', 'monitor.deleted', 'group.changed', 'group.deleted', 'incident', 'probe',
] as const;
export type Kind = (typeof KINDS)[number];
export type Listener = (data: Record<string, unknown>) => void;

const LONGEST_WAIT_MS = 30_000;
/** The server says something every 15 seconds. */
const SILENT_MS = 40_000;

/** Whether what is shown is changed as it happens. */
export const liveState = signal<'connecting' | 'live' | 'offline'>('connecting');

const listeners = new Map<Kind, Set<Listener>>(KINDS.map((kind) => [kind, new Set()]));

/** Calls `listener` with the data of each event of this kind; returns what ends that. */
export function onLive(kind: Kind, listener: Listener): () => void {
  listeners.get(kind)?.add(listener);
  return () => listeners.get(kind)?.delete(listener);
}

/** Keeps one stream open while somebody is signed in, and opens it anew for another project. */
export function keepLive(): void {
  effect(() => {
    void chosenProject.value;
    if (me.value?.user.email_verified !== true) return undefined;
    const ending = new AbortController();
    void follow(ending.signal);
    return () => ending.abort();
  });
}

async function follow(ended: AbortSignal): Promise<void> {
  let [lastId, failures, isFirst] = ['', 0, true];
  while (!ended.aborted) {
    try {
      await readStream(ended, lastId, () => {
        // What happened while we were away has not been told, unless the server resumes.
        if (!isFirst && lastId === '') void queries.invalidateQueries();
        [failures, isFirst] = [0, false];
      }, (id) => {
        lastId = id;
      });
    } catch {
      // Tried again below, like a stream that has ended.
    }
    if (ended.aborted) return;
    liveState.value = failures > 0 || !navigator.onLine ? 'offline' : 'connecting';
    failures += 1;
    await pause(Math.min(LONGEST_WAIT_MS, 500 * 2 ** failures) * (0.5 + Math.random() / 2), ended);
  }
}

async function readStream(
  ended: AbortSignal, lastId: string, opened: () => void, seen: (id: string) => void,
): Promise<void> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENT_MS);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), SILENT_MS);
  };
  try {
    const response = await fetch('/api/events', {
      headers: { ...requestHeaders(), Accept: 'text/event-stream', ...(lastId === '' ? {} : { 'Last-Event-ID': lastId }) },
      signal: AbortSignal.any([ended, silent.signal]), cache: 'no-store',
    });
    if (response.status === 401) sessionEnded();
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    liveState.value = 'live';
    opened();
    const parser = new EventSourceParserStream({ onComment: heard });
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(parser).getReader();
    for (;;) {
      const { done, value } = await events.read();
      if (done) return;
      heard();
      if (value.id !== undefined && value.id !== '') seen(value.id);
      tell(value.event ?? 'message', value.data);
    }
  } finally {
    clearTimeout(timer);
  }
}

function tell(kind: string, data: string): void {
  if (kind === 'resync') void queries.invalidateQueries();
  const told = listeners.get(kind as Kind);
  if (told === undefined || told.size === 0) return;
  const parsed = JSON.parse(data) as Record<string, unknown>;
  for (const listener of told) listener(parsed);
}

/** Ends early when the browser has a network again. */
function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end, { once: true });
    ended.addEventListener('abort', end, { once: true });
  });
}
