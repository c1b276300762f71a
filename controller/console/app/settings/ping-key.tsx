import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { heartbeatTexts as texts } from '../texts/heartbeats.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { toast, toastError } from '../ui/toast.tsx';

interface Props {
  project: { id: string; name: string };
  onClose: () => void;
}

/** The key with which jobs of a project ping by name. Fetched on demand and not cached. */
export function PingKey({ project: { id: projectId, name }, onClose }: Props) {
  const [key, setKey] = useState<string | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const params = { path: { projectId } };
  const show = () => {
    unwrap(api.GET('/api/projects/{projectId}/ping-key', { params })).then((read) => setKey(read.ping_key), toastError);
  };
  if (isConfirming) {
    return (
      <ConfirmDialog
        title={texts.rotateTitle} text={texts.rotateText} confirmLabel={texts.rotate} onClose={() => setConfirming(false)}
        action={async () => {
          setKey((await unwrap(api.POST('/api/projects/{projectId}/ping-key/rotate', { params }))).ping_key);
          toast(texts.rotated);
        }}
      />
    );
  }
  return (
    <Dialog title={texts.keyOf(name)} onClose={onClose}>
      <p class="hint">{texts.keyText}</p>
      {key === null
        ? <div><Button onClick={show}>{texts.showKey}</Button></div>
        : <CopyLine text={key} label={texts.key} />}
      <footer><Button variant="danger" onClick={() => setConfirming(true)}>{texts.rotate}</Button></footer>
    </Dialog>
  );
}
