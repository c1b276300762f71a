import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Section } from '../ui/page.tsx';
import { toast, toastError } from '../ui/toast.tsx';

/** The secret with which receivers verify our requests. Fetched on demand and not cached. */
export function SigningSecret({ id }: { id: string }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const params = { path: { id } };
  const show = () => {
    unwrap(api.GET('/api/integrations/{id}/secret', { params })).then((read) => setSecret(read.secret), toastError);
  };
  return (
    <Section title={texts.secret} actions={<Button variant="danger" onClick={() => setConfirming(true)}>{texts.rotate}</Button>}>
      <p class="hint">{texts.secretText}</p>
      {secret === null
        ? <div><Button onClick={show}>{texts.showSecret}</Button></div>
        : <CopyLine text={secret} label={texts.secret} />}
      {isConfirming && (
        <ConfirmDialog
          title={texts.rotateTitle} text={texts.rotateText} confirmLabel={texts.rotate} onClose={() => setConfirming(false)}
          action={async () => {
            setSecret((await unwrap(api.POST('/api/integrations/{id}/rotate-secret', { params }))).secret);
            toast(texts.rotated);
          }}
        />
      )}
    </Section>
  );
}
