import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Rows drawn above and below the visible ones. */
const OVERSCAN_ROWS = 8;

export interface RowRange {
  first: number;
  /** Exclusive. */
  end: number;
}

/** Which of `count` rows of `height` px are visible as the page scrolls. */
export function useWindowRows(list: RefObject<HTMLElement>, count: number, height: number): RowRange {
  const [{ first, end }, setRange] = useState<RowRange>({ first: 0, end: 40 });
  useEffect(() => {
    const update = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const at = Math.floor(-top / height);
      const next = { first: Math.max(0, at - OVERSCAN_ROWS), end: at + Math.ceil(innerHeight / height) + OVERSCAN_ROWS };
      setRange((before) => (before.first === next.first && before.end === next.end ? before : next));
    };
    update();
    addEventListener('scroll', update, { passive: true });
    addEventListener('resize', update);
    return () => {
      removeEventListener('scroll', update);
      removeEventListener('resize', update);
    };
  }, [height, count]);
  return { first: Math.min(first, Math.max(0, count - 1)), end: Math.min(count, end) };
}

/** Whether the window is as narrow as a phone's. */
export function useNarrow(): boolean {
  const query = '(max-width: 52rem)';
  const [isNarrow, setNarrow] = useState(matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = () => setNarrow(media.matches);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, []);
  return isNarrow;
}
