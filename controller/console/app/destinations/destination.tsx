import { useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { ApiError } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { NotFound } from '../shell/not-found.tsx';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { ManagedForm, ManagedNote } from '../ui/managed.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { DestinationForm } from './destination-form.tsx';
import { draftOf, inputOf, type Destination, type Draft } from './draft.ts';
import { forms } from './forms.ts';
import { HealthBadge, HealthNote, LastDelivered } from './health.tsx';
import { TestAlertButton } from './test-alert.tsx';
import { RecentDeliveries } from './recent-deliveries.tsx';
import { SigningSecret } from './signing-secret.tsx';

export default function DestinationView() {
  const { params: { id = '' } } = useRoute();
  const query = useQuery({
    queryKey: ['destinations', id],
    queryFn: () => unwrap(api.GET('/api/integrations/{id}', { params: { path: { id } } })),
  });
  if (query.error instanceof ApiError && [400, 403, 404].includes(query.error.status)) return <NotFound />;
  return (
    <QueryResult query={query} lines={10}>
      {({ integration }) => <Detail key={integration.id} destination={integration} />}
    </QueryResult>
  );
}

function Detail({ destination }: { destination: Destination }) {
  const { id, name, type } = destination;
  const { route } = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  // Changes by others don't overwrite what the user is entering.
  const [base, setBase] = useState(destination);
  const save = useMutation({
    mutationFn: (draft: Draft) => unwrap(api.PUT('/api/integrations/{id}', { params: { path: { id } }, body: inputOf(draft, forms[type]) })),
    onSuccess: (changed) => {
      queries.setQueryData(['destinations', id], changed);
      void queries.invalidateQueries({ queryKey: ['destinations', 'list'] });
      setBase(changed.integration);
      toast(texts.saved);
    },
  });
  return (
    <Page
      title={name} class="form" back={{ to: '/destinations', text: texts.back }}
      actions={<Button variant="danger" onClick={() => setDeleting(true)}>{shellTexts.delete}</Button>}
    >
      <section class="card" aria-label={texts.state}>
        <p class="destination-state"><HealthBadge destination={destination} /> <span>{texts.lastDelivered}: <LastDelivered destination={destination} /></span></p>
        <HealthNote destination={destination} />
        <TestAlertButton id={id} />
      </section>
      <ManagedForm owner={destination.managed_by}>
        <DestinationForm
          key={base.updated_at} initial={draftOf(base, forms[type])} submitLabel={shellTexts.save} error={save.error}
          isBusy={save.isPending} onSave={(draft) => save.mutate(draft)}
        />
      </ManagedForm>
      {type === 'webhook' && <SigningSecret id={id} />}
      <RecentDeliveries id={id} />
      {isDeleting && (
        <ConfirmDialog
          title={texts.deleteTitle(name)} text={<><p>{texts.deleteText}</p><ManagedNote owner={destination.managed_by} /></>}
          confirmLabel={shellTexts.delete} onClose={() => setDeleting(false)}
          action={async () => {
            await unwrap(api.DELETE('/api/integrations/{id}', { params: { path: { id } } }));
            queries.removeQueries({ queryKey: ['destinations'] });
            toast(texts.deleted);
            route(href('/destinations'));
          }}
        />
      )}
    </Page>
  );
}
