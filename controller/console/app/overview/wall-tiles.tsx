import { Component } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { language } from '../preferences/language.ts';
import { overviewTexts } from '../texts/overview.ts';
import { shownState, type ShownState } from '../ui/shown-state.ts';
import { STATE_SIGNS, stateText } from '../ui/state.tsx';
import { useNarrow } from './use-window-rows.ts';
import { fittingSizes } from './wall-fit.ts';
import type { Panel } from './wall-panels.ts';

/** A tile per monitor, as large as possible without scrolling. */
export function WallTiles({ panels }: { panels: readonly Panel[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState({ width: 0, height: 0 });
  const isNarrow = useNarrow();
  useEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      setRoom({ width, height });
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const isGrouped = panels.length > 1 || (panels[0]?.title ?? '') !== '';
  const sizes = fittingSizes(
    panels.map(({ monitors }) => monitors.length), isGrouped, { width: room.width, height: isNarrow ? null : room.height },
  );
  const px = Object.fromEntries((['width', 'height', 'gap', 'between', 'heading'] as const).map((name) => [`--${name}`, `${sizes[name]}px`]));
  return (
    <div class={`wall-tiles ${sizes.isSquare ? 'squares' : ''}`} ref={box} style={px}>
      {room.width > 0 && panels.map(({ key, title, monitors }) => {
        const name = title === '' ? overviewTexts.noGroup : title;
        return (
          <section key={key} class="wall-panel" aria-label={isGrouped ? name : overviewTexts.monitors}>
            {isGrouped && <h2>{name}</h2>}
            <ul>
              {monitors.map((one) => <Tile key={one.id} name={one.name} state={shownState(one)} language={language.value} />)}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

interface TileProps {
  name: string;
  state: ShownState;
  /** Redraws the tile when the language changes. */
  language: string;
}

/** Takes no monitor: one changed in place would look the same. */
class Tile extends Component<TileProps> {
  override shouldComponentUpdate({ name, state, language: next }: TileProps): boolean {
    return name !== this.props.name || state !== this.props.state || next !== this.props.language;
  }

  override render({ name, state }: TileProps) {
    return (
      <li class={`tile ${state}`}>
        {state !== 'up' && <span class="tile-sign" aria-hidden="true">{STATE_SIGNS[state]}</span>}
        <span class="tile-name">{name}</span> <span class="hidden">{stateText(state)}</span>
      </li>
    );
  }
}
