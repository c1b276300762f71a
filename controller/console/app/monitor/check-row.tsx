import { regionName, useRegions } from '../live/regions.ts';
import { useState } from 'preact/hooks';
import { ProbeLink } from '../fleet/probe-link.tsx';
import { checkTexts } from '../texts/checks.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { reasonText } from '../ui/reason-text.ts';
import { msText, Time } from '../ui/time.tsx';
import { EvidenceOf } from './evidence.tsx';
import { OutcomeDot } from './outcome.tsx';
import { PhaseBar } from './phase-bar.tsx';
import type { Result } from './monitor-queries.ts';

/** A check in one line that expands to all of its details. */
export function CheckRow({ result }: { result: Result }) {
  const [isOpen, setOpen] = useState(false);
  const regions = useRegions();
  const { response_time_ms: ms, status_code: status, error, reason } = result;
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <OutcomeDot result={result} />
          <Time at={result.checked_at} />
          <span>{regionName(regions, result.region)}</span>
          <code>{status ?? ''}</code>
          <span class="number">{ms === null ? '' : msText(ms)}</span>
          <span class="check-words">
            {error?.message ?? (reason === undefined ? '' : reasonText(reason))}
            {result.late && <span class="tag">{checkTexts.late}</span>}
          </span>
        </summary>
        {isOpen && <CheckDetail result={result} />}
      </details>
    </li>
  );
}

function CheckDetail({ result }: { result: Result }) {
  const { error, timings, probe_id: probe, received_at: received } = result;
  return (
    <div class="check-detail">
      <dl class="facts">
        {error !== null && <><dt>{monitorTexts.failed}</dt><dd>{error.message} <code>{error.layer ?? error.type}</code></dd></>}
        {probe !== null && <><dt>{checkTexts.probe}</dt><dd><ProbeLink id={probe} /></dd></>}
        {received !== undefined && <><dt>{checkTexts.received}</dt><dd><Time at={received} /></dd></>}
      </dl>
      {timings !== null && <PhaseBar timings={timings} scaleMs={0} />}
      {result.outcome === 'failure' && <EvidenceOf result={result} />}
    </div>
  );
}
