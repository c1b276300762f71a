import { useMutation } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { href } from '../ui/link.ts';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { DestinationForm } from './destination-form.tsx';
import { inputOf, newDraft, type Draft } from './draft.ts';
import { forms, KINDS } from './forms.ts';
import { KindChoice } from './kind-choice.tsx';

/** `?type=` selects the type of destination. */
export default function NewDestination() {
  const { query, route } = useLocation();
  const type = KINDS.find((one) => one === query['type']) ?? 'email';
  const create = useMutation({
    mutationFn: (draft: Draft) => unwrap(api.POST('/api/integrations', { body: inputOf(draft, forms[type]) })),
    onSuccess: ({ integration }) => {
      void queries.invalidateQueries({ queryKey: ['destinations', 'list'] });
      toast(texts.created);
      route(href(`/destinations/${integration.id}`));
    },
  });
  return (
    <Page title={texts.add} class="form" back={{ to: '/destinations', text: texts.back }}>
      <KindChoice chosen={type} />
      <DestinationForm
        key={type} initial={newDraft(type, forms[type])} submitLabel={texts.create} error={create.error} isBusy={create.isPending}
        onSave={(draft) => create.mutate(draft)}
      />
    </Page>
  );
}
