import { shellTexts } from '../texts/shell.ts';

export const STATES = ['up', 'down', 'degraded', 'unknown', 'paused', 'disabled', 'maintenance'] as const;
export type State = (typeof STATES)[number];

/** A sign for each state, so that colour is never alone. */
const SIGNS: Record<State, string> = {
  up: '✓', down: '✕', degraded: '!', unknown: '?', paused: 'Ⅱ', disabled: '–', maintenance: '⚒',
};

export function stateText(state: State): string {
  return state === 'maintenance' ? shellTexts.maintenanceState : shellTexts[state];
}

/** A round sign with the state's name for screen readers. */
export function StateDot({ state }: { state: State }) {
  return <span class={`state-dot ${state}`} role="img" aria-label={stateText(state)} title={stateText(state)}>{SIGNS[state]}</span>;
}

export function StateBadge({ state, text }: { state: State; text?: string }) {
  return <span class={`state-badge ${state}`}><span aria-hidden="true">{SIGNS[state]}</span> {text ?? stateText(state)}</span>;
}
