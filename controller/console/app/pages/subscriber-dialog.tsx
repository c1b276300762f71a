import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { canAdministerProject } from '../api/session.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, SelectField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { pagePath, type StatusPage, type Subscriber } from './page-queries.ts';
import { preferencesText, SubscriberState } from './badges.tsx';

const FREQUENCIES = ['immediate', 'hourly', 'daily'] as const;

/** One subscriber: the subscription's history and preferences, which admins can change. */
export function SubscriberDialog({ page, id, onClose }: { page: StatusPage; id: string; onClose: () => void }) {
  const key = ['pages', page.id, 'subscribers'];
  const path = { ...pagePath(page.id).path, subscriberId: id };
  const query = useQuery({
    queryKey: [...key, id],
    queryFn: () => unwrap(api.GET('/api/projects/{projectId}/status-pages/{id}/subscribers/{subscriberId}', { params: { path } })),
  });
  const save = async (preferences: Subscriber['preferences']) => {
    await unwrap(api.PATCH('/api/projects/{projectId}/status-pages/{id}/subscribers/{subscriberId}', {
      params: { path }, body: { preferences },
    }));
    await queries.invalidateQueries({ queryKey: key });
    toast(texts.saved);
  };
  const subscriber = query.data?.subscriber;
  if (subscriber !== undefined && canAdministerProject.value) return <Preferences subscriber={subscriber} save={save} onClose={onClose} />;
  return (
    <Dialog title={subscriber?.email ?? texts.subscriber} onClose={onClose}>
      <QueryResult query={query}>
        {({ subscriber: one }) => <><Facts subscriber={one} /><p>{texts.preferences}: {preferencesText(one)}</p></>}
      </QueryResult>
    </Dialog>
  );
}

function Preferences({ subscriber, save, onClose }: {
  subscriber: Subscriber; save: (preferences: Subscriber['preferences']) => Promise<void>; onClose: () => void;
}) {
  const [draft, setDraft] = useState(subscriber.preferences);
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  return (
    <FormDialog title={subscriber.email} submitLabel={shellTexts.save} send={() => save(draft)} onClose={onClose}>
      {() => (
        <>
          <Facts subscriber={subscriber} />
          <div class="page-wants" role="group" aria-label={texts.preferences}>
            <Checkbox label={texts.notifyAll} value={draft.all_incidents} onValue={(all_incidents) => set({ all_incidents })} />
            <Checkbox
              label={texts.notifyCritical} value={draft.critical_incidents} onValue={(critical_incidents) => set({ critical_incidents })}
            />
            <Checkbox label={texts.notifyMaintenance} value={draft.maintenance} onValue={(maintenance) => set({ maintenance })} />
          </div>
          <SelectField
            label={texts.frequency} hint={texts.frequencyHint} value={draft.frequency} onValue={(frequency) => set({ frequency })}
            options={FREQUENCIES.map((one) => [one, texts[one]] as const)}
          />
        </>
      )}
    </FormDialog>
  );
}

/** The subscription's history, in order. */
function Facts({ subscriber }: { subscriber: Subscriber }) {
  const times = [
    [texts.subscribedAt, subscriber.subscribed_at], [texts.verifiedAt, subscriber.verified_at],
    [texts.confirmUntil, subscriber.verification_expires_at], [texts.unsubscribedAt, subscriber.unsubscribed_at],
  ] as const;
  return (
    <dl class="facts">
      <dt>{texts.state}</dt><dd><SubscriberState subscriber={subscriber} /></dd>
      {times.map(([name, at]) => at !== null && <><dt>{name}</dt><dd><Time at={at} /></dd></>)}
      {subscriber.webhook_url !== null && <><dt>{texts.webhook}</dt><dd>{subscriber.webhook_url}</dd></>}
    </dl>
  );
}
