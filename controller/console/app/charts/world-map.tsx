import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { State } from '../ui/state.tsx';

export interface WorldPoint {
  id: string;
  /** Degrees; north and east are positive. */
  lat: number;
  lon: number;
  state: State;
  /** What it is and how it is, in words. */
  label: string;
  /** The address that it leads to. */
  to?: string;
}

export interface WorldMapProps {
  /** What the map shows. It tells nothing by itself that the page does not also say in words. */
  label: string;
  points: readonly WorldPoint[];
}

/** Places on a map of the world. The map itself is loaded when the first one is shown. */
export function WorldMap(props: WorldMapProps) {
  const [drawing, setDrawing] = useState<{ Drawing: ComponentType<WorldMapProps> } | null>(null);
  useEffect(() => {
    const mounted = { current: true };
    // Without the map the page still says everything.
    void import('./world-drawing.tsx').then(({ WorldDrawing }) => {
      if (mounted.current) setDrawing({ Drawing: WorldDrawing });
    }, () => {});
    return () => {
      mounted.current = false;
    };
  }, []);
  return <div class="world-map">{drawing !== null && <drawing.Drawing {...props} />}</div>;
}
