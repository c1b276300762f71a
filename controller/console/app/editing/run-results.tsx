import type { paths } from '../api/openapi.d.ts';
import { regionName, useRegions } from '../live/regions.ts';
import { editingTexts } from '../texts/editing.ts';
import { reasonText } from '../ui/reason-text.ts';
import { StateBadge } from '../ui/state.tsx';
import { msText } from '../ui/time.tsx';

export type Runs = paths['/api/monitors/test']['post']['responses']['200']['content']['application/json']['data']['results'];

/** The outcome of a check in each region. */
export function RunResults({ runs }: { runs: Runs }) {
  const regions = useRegions();
  const failed = runs.filter(({ outcome }) => outcome === 'failure').length;
  const missed = runs.filter(({ outcome }) => outcome === 'missed').length;
  const up = runs.length - failed - missed;
  const summary = runs.length === 0 ? editingTexts.noRegion : editingTexts.runSummary(up, failed, missed);
  return (
    <div class="run-results" role="status">
      <p><strong>{summary}</strong></p>
      <ul>
        {runs.map((run) => (
          <li key={run.region}>
            <StateBadge state={stateOf(run)} text={editingTexts[run.outcome]} />
            <span>{regionName(regions, run.region)}</span>
            <span class="faint">{[run.status_code === null ? '' : `HTTP ${run.status_code}`, run.response_time_ms === null ? '' : msText(run.response_time_ms)]
              .filter(Boolean).join(' · ')}</span>
            {whyOf(run) !== null && <span class="run-why">{whyOf(run)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function stateOf({ outcome, degraded }: Runs[number]) {
  if (outcome === 'missed') return 'unknown';
  if (outcome === 'failure') return 'down';
  return degraded ? 'degraded' : 'up';
}

function whyOf({ error, reason }: Runs[number]): string | null {
  if (error !== null) return error.message;
  return reason === undefined ? null : reasonText(reason);
}
