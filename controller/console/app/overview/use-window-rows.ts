import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Rows drawn above and below what is in sight. */
const BEYOND = 8;

export interface Shown {
  first: number;
  /** Exclusive. */
  end: number;
}

/** Which of `count` rows of `height` px are in sight, as the page scrolls under the list. */
export function useWindowRows(list: RefObject<HTMLElement>, count: number, height: number): Shown {
  const [{ first, end }, setShown] = useState<Shown>({ first: 0, end: 40 });
  useEffect(() => {
    const look = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const at = Math.floor(-top / height);
      const next = { first: Math.max(0, at - BEYOND), end: at + Math.ceil(innerHeight / height) + BEYOND };
      setShown((before) => (before.first === next.first && before.end === next.end ? before : next));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
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
    const look = () => setNarrow(media.matches);
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, []);
  return isNarrow;
}
