import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { canAdminister, canEdit, me } from '../api/session.ts';
import { useCommands } from '../shell/commands.ts';
import { useKeys } from '../shell/keys.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextArea } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toast.tsx';
import type { Incident } from './severity.tsx';

type Status = Incident['status'];

/** Allowed transitions from each status. */
const TRANSITIONS: Record<Status, readonly Exclude<Status, 'open'>[]> = {
  open: ['acknowledged', 'resolved'], acknowledged: ['resolved', 'closed'], resolved: ['closed'], closed: [],
};
const KEYS = { acknowledged: 'a', resolved: 'r', closed: 'c' } as const;

/** Acknowledge, assign, resolve and close, if the user has permission. */
export function IncidentActions({ incident }: { incident: Incident }) {
  const [targetStatus, setTargetStatus] = useState<Exclude<Status, 'open'> | null>(null);
  const labels = { acknowledged: texts.acknowledge, resolved: texts.resolve, closed: texts.close };
  const possible = canEdit.value ? TRANSITIONS[incident.status] : [];
  const actions = possible.map((to) => ({ to, text: labels[to], run: () => setTargetStatus(to) }));
  useKeys(actions.map(({ to, text, run }) => ({ keys: KEYS[to], text, run })));
  useCommands(actions);
  return (
    <>
      {actions.map(({ to, text, run }, at) => (
        <Button key={to} variant={at === 0 ? 'primary' : 'plain'} onClick={run}>{text} <kbd aria-hidden="true">{KEYS[to]}</kbd></Button>
      ))}
      {targetStatus !== null && (
        <MoveIncident
          incident={incident} to={targetStatus} submitLabel={labels[targetStatus]} onClose={() => setTargetStatus(null)}
        />
      )}
    </>
  );
}

function MoveIncident({ incident: { id, status, created_by: author, check_id: monitor }, to, submitLabel, onClose }: {
  incident: Incident; to: Exclude<Status, 'open'>; submitLabel: string; onClose: () => void;
}) {
  // Checks opened it and have not resolved it, so the outage may continue.
  const endsOutage = to !== 'acknowledged' && status !== 'resolved' && author === null && monitor !== null;
  const [note, setNote] = useState('');
  const [assignee, setAssignee] = useState(me.value?.user.id ?? '');
  const people = usePeople(to === 'acknowledged');
  const move = () => unwrap(api.PUT('/api/incidents/{id}/status', {
    params: { path: { id } },
    body: {
      status: to, ...(note === '' ? {} : { note }),
      ...(to === 'acknowledged' && assignee !== '' ? { assignee_id: assignee } : {}),
    },
  }));
  const handleMoved = () => {
    void queries.invalidateQueries({ queryKey: ['incidents'] });
    toast({ acknowledged: texts.acknowledgedToast, resolved: texts.resolvedToast, closed: texts.closedToast }[to]);
    onClose();
  };
  return (
    <FormDialog title={submitLabel} submitLabel={submitLabel} send={move} onSent={handleMoved} onClose={onClose}>
      {() => (
        <>
          {endsOutage && <p class="hint">{texts.stillDown}</p>}
          {to === 'acknowledged' && people.length > 1 && (
            <SelectField label={texts.assignee} value={assignee} onValue={setAssignee} options={people} />
          )}
          <TextArea label={texts.note} isOptional maxLength={2000} value={note} onValue={setNote} />
        </>
      )}
    </FormDialog>
  );
}

/** Possible assignees, as far as the user may see them. */
function usePeople(isEnabled: boolean): (readonly [string, string])[] {
  const { data } = useQuery({
    queryKey: ['settings', 'members'], enabled: isEnabled && canAdminister.value,
    queryFn: () => unwrap(api.GET('/api/organization/members')),
  });
  const own = me.value?.user;
  const members = data?.members.map(({ user_id: id, name }) => [id, name] as const);
  return members ?? (own === undefined ? [] : [[own.id, own.name]]);
}
