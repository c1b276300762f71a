import { effect, signal } from '@preact/signals';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect, useRef } from 'preact/hooks';
import { baseUrl } from '../api/base-path.ts';
import { requestHeaders } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { reportSessionExpired, selectedProject } from '../api/selection.ts';
import { me } from '../api/session.ts';

export const KINDS = [
  'result', 'monitor.state', 'monitor.region', 'monitor.changed', 'monitor.deleted', 'group.changed', 'group.deleted', 'incident', 'probe',
] as const;
export type Kind = (typeof KINDS)[number];
export type Listener = (data: Record<string, unknown>) => void;

const MAX_BACKOFF_MS = 30_000;
/** The server sends something every 15 seconds. */
const SILENCE_TIMEOUT_MS = 40_000;

/** Whether the view receives live updates. */
export const liveStatus = signal<'connecting' | 'live' | 'offline'>('connecting');

const listeners = new Map<Kind, Set<Listener>>(KINDS.map((kind) => [kind, new Set()]));

/** Calls `listener` with the data of each event of this kind; returns a function that unsubscribes. */
export function onLiveEvent(kind: Kind, listener: Listener): () => void {
  listeners.get(kind)?.add(listener);
  return () => listeners.get(kind)?.delete(listener);
}

/** Keeps one stream open while signed in, and reopens it for another project. */
export function maintainLiveStream(): void {
  effect(() => {
    void selectedProject.value;
    if (me.value?.user.email_verified !== true) return undefined;
    const controller = new AbortController();
    void follow(controller.signal);
    return () => controller.abort();
  });
}

async function follow(stopSignal: AbortSignal): Promise<void> {
  let [lastId, failures, isFirst] = ['', 0, true];
  while (!stopSignal.aborted) {
    try {
      await readStream(stopSignal, lastId, () => {
        // Unless the server resumes, events from the time without a connection are lost.
        if (!isFirst && lastId === '') void queries.invalidateQueries();
        [failures, isFirst] = [0, false];
      }, (id) => {
        lastId = id;
      });
    } catch {
      // Retried below, like a stream that has ended.
    }
    if (stopSignal.aborted) return;
    liveStatus.value = failures > 0 || !navigator.onLine ? 'offline' : 'connecting';
    failures += 1;
    await waitForRetry(Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures) * (0.5 + Math.random() / 2), stopSignal);
  }
}

async function readStream(
  stopSignal: AbortSignal, lastId: string, onOpen: () => void, onEventId: (id: string) => void,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS);
  const resetSilenceTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS);
  };
  try {
    const response = await fetch(`${baseUrl}/api/events`, {
      headers: { ...requestHeaders(), Accept: 'text/event-stream', ...(lastId === '' ? {} : { 'Last-Event-ID': lastId }) },
      signal: AbortSignal.any([stopSignal, silence.signal]), cache: 'no-store',
    });
    if (response.status === 401) reportSessionExpired();
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    liveStatus.value = 'live';
    onOpen();
    const parser = new EventSourceParserStream({ onComment: resetSilenceTimer });
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(parser).getReader();
    for (;;) {
      const { done, value } = await events.read();
      if (done) return;
      resetSilenceTimer();
      if (value.id !== undefined && value.id !== '') onEventId(value.id);
      dispatch(value.event ?? 'message', value.data);
    }
  } finally {
    clearTimeout(timer);
  }
}

function dispatch(kind: string, data: string): void {
  if (kind === 'resync') void queries.invalidateQueries();
  const subscribed = listeners.get(kind as Kind);
  if (subscribed === undefined || subscribed.size === 0) return;
  const parsed = JSON.parse(data) as Record<string, unknown>;
  for (const listener of subscribed) listener(parsed);
}

/** Ends early when the browser is online again. */
function waitForRetry(ms: number, stopSignal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      removeEventListener('online', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    addEventListener('online', finish, { once: true });
    stopSignal.addEventListener('abort', finish, { once: true });
  });
}

/** Calls `listener` with each event of this kind while the component is mounted. */
export function useLiveEvent(kind: Kind, listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => onLiveEvent(kind, (data) => latest.current(data)), [kind]);
}
