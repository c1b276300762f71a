import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { TextArea, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { numberText } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { pagePath, type StatusPage } from './page-queries.ts';

/** Emails a message to these subscribers. */
export function NotifySubscribers({ page, ids, onClose }: { page: StatusPage; ids: string[]; onClose: () => void }) {
  const [subject, setSubject] = useState('');
  const [message, setMessage] = useState('');
  return (
    <FormDialog
      title={texts.notifySome(numberText(ids.length))} submitLabel={texts.notify} onClose={onClose}
      send={async () => {
        const sent = await unwrap(api.POST('/api/projects/{projectId}/status-pages/{id}/subscribers/bulk-notify', {
          params: pagePath(page.id), body: { subscriber_ids: ids, subject, message },
        }));
        toast(sent.message);
      }}
    >
      {(fieldErrors) => (
        <>
          <p class="hint">{texts.notifyText}</p>
          <TextField label={texts.subject} required maxLength={200} value={subject} onValue={setSubject} error={fieldErrors.at('subject')} />
          <TextArea label={texts.message} required maxLength={5000} value={message} onValue={setMessage} error={fieldErrors.at('message')} />
        </>
      )}
    </FormDialog>
  );
}
