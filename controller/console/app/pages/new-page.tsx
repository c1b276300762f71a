import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { href } from '../ui/link.ts';
import { toast } from '../ui/toast.tsx';
import { subdomainOf } from './page-draft.ts';
import { updateCachedPage, projectId } from './page-queries.ts';

/** Creates a draft, which is not public until published. */
export function NewPage({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const { route } = useLocation();
  const subdomain = typed ?? subdomainOf(name);
  return (
    <FormDialog
      title={texts.newPage} submitLabel={texts.create} onClose={onClose}
      send={() => unwrap(api.POST('/api/projects/{projectId}/status-pages', {
        params: { path: { projectId: projectId() } }, body: { name, subdomain },
      }))}
      onSent={(created) => {
        updateCachedPage(created);
        toast(texts.created);
        route(href(`/pages/${created.status_page.id}/monitors`));
      }}
    >
      {(fieldErrors) => (
        <>
          <TextField label={texts.name} required maxLength={100} value={name} onValue={setName} error={fieldErrors.at('name')} />
          <TextField
            label={texts.subdomain} hint={texts.subdomainHint} required minLength={3} maxLength={63} spellcheck={false}
            value={subdomain} onValue={setTyped} error={fieldErrors.at('subdomain')}
          />
        </>
      )}
    </FormDialog>
  );
}
