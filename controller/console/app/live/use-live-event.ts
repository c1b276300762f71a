import { useEffect, useRef } from 'preact/hooks';
import { onLiveEvent, type Kind, type Listener } from './live-stream.ts';

/** Calls `listener` with each event of this kind while the component is mounted. */
export function useLiveEvent(kind: Kind, listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => onLiveEvent(kind, (data) => latest.current(data)), [kind]);
}
