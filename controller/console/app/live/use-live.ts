import { useEffect, useRef } from 'preact/hooks';
import { onLive, type Kind, type Listener } from './live-stream.ts';

/** Calls `listener` with each event of this kind while the component is shown. */
export function useLive(kind: Kind, listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => onLive(kind, (data) => latest.current(data)), [kind]);
}
