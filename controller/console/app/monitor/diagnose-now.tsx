import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { DiagnosisDetails } from '../diagnosis/diagnosis.tsx';
import { diagnosisTexts as texts } from '../texts/diagnosis.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { now, timeOf } from '../ui/time.tsx';

/** The API responds within this time. */
const MAX_SECONDS = 15;
/** A diagnosis older than this was made before it was asked for. */
const MAX_NEW_AGE_MS = 30_000;

/** Diagnoses the monitor now and shows the result, which may be that of the last minutes. */
export function DiagnoseNow({ id, onClose }: { id: string; onClose: () => void }) {
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: async () => {
      const { diagnosis } = await unwrap(api.POST('/api/monitors/{id}/diagnose', { params: { path: { id } } }));
      return { diagnosis, isEarlier: now.value - timeOf(diagnosis.diagnosed_at) > MAX_NEW_AGE_MS };
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['incidents'] }),
  });
  useEffect(() => run.mutate(), []);
  return (
    <Dialog title={texts.diagnosis} onClose={onClose} class="wide">
      {run.isPending && <Progress />}
      <div aria-live="polite" class="section">
        {run.isPending && <p>{texts.running}</p>}
        <ErrorNote error={run.error} retry={() => run.mutate()} />
        {run.data !== undefined && (
          <>
            {run.data.isEarlier && <p class="note">{texts.earlier}</p>}
            <DiagnosisDetails diagnosis={run.data.diagnosis} />
          </>
        )}
      </div>
      <p class="hint">{texts.limit}</p>
      <footer><Button variant="primary" onClick={onClose}>{monitorTexts.close}</Button></footer>
    </Dialog>
  );
}

/** Fills as time passes. */
function Progress() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 0.5), 500);
    return () => clearInterval(timer);
  }, []);
  return <progress class="diagnosis-progress" aria-label={texts.diagnosis} max={MAX_SECONDS} value={Math.min(seconds, MAX_SECONDS - 1)} />;
}
