import { monitorTexts } from '../texts/monitor.ts';
import { msText } from '../ui/time.tsx';
import { PHASES } from './chart-lines.ts';
import type { Result } from './monitor-queries.ts';

/** The duration of each phase of a check, side by side. `scaleMs` fills the width. */
export function PhaseBar({ timings, scaleMs, hasLegend = true }: {
  timings: Result['timings']; scaleMs: number;
  /** Whether a legend below names the phases. */
  hasLegend?: boolean;
}) {
  const phases = PHASES.filter((phase) => (timings?.[phase] ?? 0) > 0);
  const total = phases.reduce((sum, phase) => sum + (timings?.[phase] ?? 0), 0);
  if (total === 0) return null;
  const labels = phases.map((phase) => `${monitorTexts[phase]} ${msText(timings?.[phase] ?? 0)}`);
  return (
    <div class="phases">
      <div class="phase-bar" role="img" aria-label={labels.join(', ')} title={labels.join('\n')}>
        {phases.map((phase) => (
          <span key={phase} class={`phase ${phase}`} style={{ width: `${(100 * (timings?.[phase] ?? 0)) / Math.max(total, scaleMs)}%` }} />
        ))}
      </div>
      {hasLegend && (
        <p class="phase-words small faint" aria-hidden="true">
          {phases.map((phase, at) => <span key={phase}><i class={`phase ${phase}`} />{labels[at]}</span>)}
        </p>
      )}
    </div>
  );
}
