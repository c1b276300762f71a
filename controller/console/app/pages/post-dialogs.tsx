import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { Checkbox, FieldError, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toast.tsx';
import { pagePath, type Post, type StatusPage } from './page-queries.ts';

type Status = Post['status'];
type Severity = Post['severity'];
const STATUSES = ['investigating', 'identified', 'monitoring', 'resolved'] as const satisfies readonly Status[];
const SEVERITIES = ['critical', 'major', 'minor'] as const satisfies readonly Severity[];
const MAX_MESSAGE_LENGTH = 5000;

interface DialogProps {
  onDone: () => Promise<void>;
  onClose: () => void;
}

/** Publishes an incident to the page's readers and subscribers. */
export function NewPost({ page, onDone, onClose }: DialogProps & { page: StatusPage }) {
  const [title, setTitle] = useState('');
  const [message, setMessage] = useState('');
  const [severity, setSeverity] = useState<Severity>('major');
  const [affected, setAffected] = useState<readonly string[]>([]);
  return (
    <FormDialog
      title={texts.newPost} submitLabel={texts.post} onClose={onClose}
      send={async () => {
        await unwrap(api.POST('/api/projects/{projectId}/status-pages/{id}/incidents', {
          params: pagePath(page.id), body: { title, message, severity, affected_monitor_ids: [...affected] },
        }));
        await onDone();
        toast(texts.posted);
      }}
    >
      {(fieldErrors) => (
        <>
          <p class="hint">{texts.newPostText}</p>
          <TextField label={texts.postTitle} required maxLength={200} value={title} onValue={setTitle} error={fieldErrors.at('title')} />
          <TextArea label={texts.message} required maxLength={MAX_MESSAGE_LENGTH} value={message} onValue={setMessage} error={fieldErrors.at('message')} />
          <SelectField
            label={texts.severity} value={severity} onValue={setSeverity} options={SEVERITIES.map((one) => [one, texts[one]] as const)}
          />
          <div class="several" role="group" aria-label={texts.affected}>
            <span>{texts.affected}</span>
            {(page.monitors ?? []).map(({ monitor_id: id, display_name: shown, monitor_name: name }) => (
              <Checkbox
                key={id} label={shown ?? name} value={affected.includes(id)}
                onValue={(isOn) => setAffected(isOn ? [...affected, id] : affected.filter((one) => one !== id))}
              />
            ))}
          </div>
          <FieldError message={fieldErrors.at('affected_monitor_ids')} />
        </>
      )}
    </FormDialog>
  );
}

/** Adds an update; `resolved` ends the incident. */
export function UpdatePost({ post, onDone, onClose }: DialogProps & { post: Post }) {
  const [status, setStatus] = useState<Status>(post.status);
  const [message, setMessage] = useState('');
  return (
    <FormDialog
      title={post.title} submitLabel={texts.update} onClose={onClose}
      send={async () => {
        await unwrap(api.POST('/api/projects/{projectId}/status-pages/{id}/incidents/{incidentId}/updates', {
          params: { path: { ...pagePath(post.status_page_id).path, incidentId: post.id } }, body: { status, message },
        }));
        await onDone();
      }}
    >
      {(fieldErrors) => (
        <>
          <SelectField label={texts.state} value={status} onValue={setStatus} options={STATUSES.map((one) => [one, texts[one]] as const)} />
          <TextArea label={texts.message} required maxLength={MAX_MESSAGE_LENGTH} value={message} onValue={setMessage} error={fieldErrors.at('message')} />
        </>
      )}
    </FormDialog>
  );
}
