import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { regionName, useRegions } from '../live/regions.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Skeleton } from '../ui/loading.tsx';
import { reasonText } from '../ui/reason-text.ts';
import { msText } from '../ui/time.tsx';
import { OutcomeBadge } from './outcome.tsx';
import { PhaseBar } from './phase-bar.tsx';
import type { Result } from './monitor-queries.ts';

/** Runs a check now in every region and shows the results. */
export function RunNow({ id, onClose }: { id: string; onClose: () => void }) {
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: async () => (await unwrap(api.POST('/api/monitors/{id}/check', { params: { path: { id } } }))).results,
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['monitors', id] }),
  });
  useEffect(() => run.mutate(), []);
  return (
    <Dialog title={monitorTexts.runNow} onClose={onClose} class="wide">
      <div aria-live="polite" class="section">
        {run.isPending && <><p class="faint">{monitorTexts.running}</p><Skeleton lines={3} /></>}
        <ErrorNote error={run.error} />
        {run.data !== undefined && <RunResults results={run.data} />}
      </div>
      <footer>
        <Button isBusy={run.isPending} onClick={() => run.mutate()}>{monitorTexts.again}</Button>
        <Button variant="primary" onClick={onClose}>{monitorTexts.close}</Button>
      </footer>
    </Dialog>
  );
}

function RunResults({ results }: { results: Result[] }) {
  const regions = useRegions();
  if (results.length === 0) return <p>{monitorTexts.noRegion}</p>;
  const maxMs = Math.max(...results.map(({ response_time_ms: ms }) => ms ?? 0));
  return (
    <ul class="runs">
      {results.map((result) => (
        <li key={`${result.region} ${result.probe_id}`}>
          <p class="run-head">
            <OutcomeBadge result={result} /> <strong>{regionName(regions, result.region)}</strong>
            {result.status_code !== null && <code>{result.status_code}</code>}
            {result.response_time_ms !== null && <span>{msText(result.response_time_ms)}</span>}
          </p>
          <PhaseBar timings={result.timings} scaleMs={maxMs} />
          {result.error !== null && <p class="error-line">{result.error.message}</p>}
          {result.reason !== undefined && <p class="faint">{reasonText(result.reason)}</p>}
        </li>
      ))}
    </ul>
  );
}
