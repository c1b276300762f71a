import { useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { ApiError } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { NotFound } from '../shell/not-found.tsx';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { href } from '../ui/link.ts';
import { Shown } from '../ui/loading.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { DestinationForm } from './destination-form.tsx';
import { draftOf, inputOf, type Destination, type Draft } from './draft.ts';
import { HealthBadge, HealthNote, LastDelivered } from './health.tsx';
import { SampleButton } from './sample.tsx';
import { Sent } from './sent.tsx';
import { SigningSecret } from './signing-secret.tsx';

/** One destination: whether alerts arrive there, a test, and its settings. */
export default function DestinationView() {
  const { params: { id = '' } } = useRoute();
  const read = useQuery({
    queryKey: ['destinations', id],
    queryFn: () => answer(api.GET('/api/integrations/{id}', { params: { path: { id } } })),
  });
  if (read.error instanceof ApiError && [400, 403, 404].includes(read.error.status)) return <NotFound />;
  return <Shown of={read} lines={10}>{({ integration }) => <Detail key={integration.id} destination={integration} />}</Shown>;
}

function Detail({ destination }: { destination: Destination }) {
  const { id, name, type } = destination;
  const { route } = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  // What others change meanwhile does not take away what is being entered.
  const [base, setBase] = useState(destination);
  const save = useMutation({
    mutationFn: (draft: Draft) => answer(api.PUT('/api/integrations/{id}', { params: { path: { id } }, body: inputOf(draft) })),
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
        <p class="destination-state"><HealthBadge of={destination} /> <span>{texts.lastDelivered}: <LastDelivered of={destination} /></span></p>
        <HealthNote of={destination} />
        <SampleButton id={id} />
      </section>
      <DestinationForm
        key={base.updated_at} start={draftOf(base)} verb={shellTexts.save} error={save.error} isBusy={save.isPending}
        onSave={(draft) => save.mutate(draft)}
      />
      {type === 'webhook' && <SigningSecret id={id} />}
      <Sent id={id} />
      {isDeleting && (
        <ConfirmDialog
          title={texts.deleteAsk(name)} text={texts.deleteLong} verb={shellTexts.delete} onClose={() => setDeleting(false)}
          action={async () => {
            await answer(api.DELETE('/api/integrations/{id}', { params: { path: { id } } }));
            queries.removeQueries({ queryKey: ['destinations'] });
            toast(texts.deleted);
            route(href('/destinations'));
          }}
        />
      )}
    </Page>
  );
}
