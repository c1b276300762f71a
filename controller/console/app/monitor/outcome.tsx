import { monitorTexts } from '../texts/monitor.ts';
import { StateBadge, StateDot, type State } from '../ui/state.tsx';
import type { Result } from './monitor-queries.ts';

type Outcome = Pick<Result, 'outcome' | 'degraded'>;

export function outcomeState({ outcome, degraded }: Outcome): State {
  if (outcome === 'missed') return 'unknown';
  if (outcome === 'failure') return 'down';
  return degraded ? 'degraded' : 'up';
}

function outcomeText(result: Outcome): string {
  return { up: monitorTexts.passed, degraded: monitorTexts.slow, down: monitorTexts.failed, unknown: monitorTexts.missed }[
    outcomeState(result) as 'up' | 'degraded' | 'down' | 'unknown'
  ];
}

export function OutcomeBadge({ result }: { result: Outcome }) {
  return <StateBadge state={outcomeState(result)} text={outcomeText(result)} />;
}

/** Icon only, for columns. */
export function OutcomeDot({ result }: { result: Outcome }) {
  return <StateDot state={outcomeState(result)} text={outcomeText(result)} />;
}
