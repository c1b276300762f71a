import { useMutation } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { msText } from '../ui/time.tsx';

/** Sends a test alert with the saved settings and shows the receiver's response. `name` is for lists. */
export function TestAlertButton({ id, name }: { id: string; name?: string }) {
  const send = useMutation({
    mutationFn: () => unwrap(api.POST('/api/integrations/{id}/test', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['destinations'] }),
  });
  return (
    <div class="destination-sample">
      <Button isBusy={send.isPending} aria-label={name === undefined ? undefined : texts.testOf(name)} onClick={() => send.mutate()}>
        {send.isPending ? texts.sending : texts.test}
      </Button>
      <div role="status">{send.data !== undefined && !send.isPending && <Outcome {...send.data} />}</div>
      <ErrorNote error={send.error} />
    </div>
  );
}

interface OutcomeProps {
  delivered: boolean;
  status_code: number | null;
  error_message: string | null;
  duration_ms: number | null;
}

function Outcome({ delivered, status_code: status, error_message: problem, duration_ms: ms }: OutcomeProps) {
  const facts = [status === null ? '' : `HTTP ${status}`, ms === null ? '' : msText(ms)].filter(Boolean).join(', ');
  return (
    <p>
      <span class={`state-badge ${delivered ? 'up' : 'down'}`}>{delivered ? texts.arrived : texts.notArrived}</span>{' '}
      {[problem, facts].filter(Boolean).join(' · ')}
    </p>
  );
}
