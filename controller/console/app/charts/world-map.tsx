import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { State } from '../ui/state.tsx';

export interface WorldPoint {
  id: string;
  /** Degrees; north and east are positive. */
  lat: number;
  lon: number;
  state: State;
  /** Name and state as text. */
  label: string;
  /** Link target. */
  to?: string;
}

export interface WorldLine {
  id: string;
  from: Pick<WorldPoint, 'lat' | 'lon'>;
  to: Pick<WorldPoint, 'lat' | 'lon'>;
  state: 'up' | 'down' | 'unknown';
  /** Ends and state as text. */
  label: string;
}

export interface WorldMapProps {
  /** Description for screen readers. Everything on the map is also on the page as text. */
  label: string;
  points: readonly WorldPoint[];
  lines?: readonly WorldLine[];
}

/** A world map with markers and lines. The map is loaded when the first one is shown. */
export function WorldMap(props: WorldMapProps) {
  const [drawing, setDrawing] = useState<{ Drawing: ComponentType<WorldMapProps> } | null>(null);
  useEffect(() => {
    const mounted = { current: true };
    // Without the map, the page still has everything as text.
    void import('./world-drawing.tsx').then(({ WorldDrawing }) => {
      if (mounted.current) setDrawing({ Drawing: WorldDrawing });
    }, () => {});
    return () => {
      mounted.current = false;
    };
  }, []);
  return <div class="world-map">{drawing !== null && <drawing.Drawing {...props} />}</div>;
}
