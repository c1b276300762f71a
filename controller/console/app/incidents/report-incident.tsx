import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { href } from '../ui/link.ts';
import { SEVERITIES, type Incident } from './severity.tsx';

/** Opens an incident that no check has detected. */
export function ReportIncident({ onClose }: { onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [message, setMessage] = useState('');
  const [severity, setSeverity] = useState<Incident['severity']>('major');
  const [monitor, setMonitor] = useState('');
  const { route } = useLocation();
  const { data } = useQuery({
    queryKey: ['monitors', 'names'],
    queryFn: () => unwrap(api.GET('/api/monitors', { params: { query: { limit: 100, sort_by: 'name', sort_order: 'asc' } } })),
  });
  const report = () => unwrap(api.POST('/api/incidents', {
    body: {
      title, severity, source: 'manual', type: 'connection_error', error_message: message,
      ...(monitor === '' ? {} : { check_id: monitor }),
    },
  }));
  const handleReported = ({ incident }: { incident: Incident }) => {
    void queries.invalidateQueries({ queryKey: ['incidents'] });
    onClose();
    route(href(`/incidents/${incident.id}`));
  };
  return (
    <FormDialog title={texts.report} submitLabel={texts.report} send={report} onSent={handleReported} onClose={onClose}>
      {(fieldErrors) => (
        <>
          <p class="hint">{texts.reportHint}</p>
          <TextField
            label={texts.titleField} hint={texts.titleHint} required minLength={10} maxLength={500}
            value={title} onValue={setTitle} error={fieldErrors.at('title')}
          />
          <TextArea label={texts.errorField} required maxLength={5000} value={message} onValue={setMessage} error={fieldErrors.at('error_message')} />
          <SelectField
            label={texts.severity} value={severity} onValue={setSeverity}
            options={SEVERITIES.map((one) => [one, texts[one]] as const)}
          />
          <SelectField
            label={texts.affected} value={monitor} onValue={setMonitor}
            options={[['', texts.noMonitor], ...(data?.monitors ?? []).map(({ id, name }) => [id, name] as const)]}
          />
        </>
      )}
    </FormDialog>
  );
}
