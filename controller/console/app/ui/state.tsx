import { shellTexts } from '../texts/shell.ts';

export const STATES = ['up', 'down', 'degraded', 'unknown', 'paused', 'disabled', 'maintenance'] as const;
export type State = (typeof STATES)[number];

/** An icon per state, so that color is never the only cue. */
export const STATE_SIGNS: Record<State, string> = {
  up: '✓', down: '✕', degraded: '!', unknown: '?', paused: 'Ⅱ', disabled: '–', maintenance: '⚒',
};

export function stateText(state: State): string {
  return state === 'maintenance' ? shellTexts.maintenanceState : shellTexts[state];
}

/** A round icon with the state's name, or another text, for screen readers. */
export function StateDot({ state, text = stateText(state) }: { state: State; text?: string }) {
  return <span class={`state-dot ${state}`} role="img" aria-label={text} title={text}>{STATE_SIGNS[state]}</span>;
}

export function StateBadge({ state, text }: { state: State; text?: string }) {
  return <span class={`state-badge ${state}`}><span aria-hidden="true">{STATE_SIGNS[state]}</span> {text ?? stateText(state)}</span>;
}
