import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { answer, api } from '../api/client.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { href } from '../ui/link.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast, toastError } from '../ui/toast.tsx';
import { EditProbe } from './edit-probe.tsx';
import { probesChanged, type Probe } from './probes.ts';

type Status = 'draining' | 'online';

/** What can be done with a probe. */
export function ProbeMenu({ probe, isAlone = false }: { probe: Probe; isAlone?: boolean }) {
  const [asked, setAsked] = useState<'edit' | 'rotate' | 'revoke' | null>(null);
  const { route } = useLocation();
  const path = { id: probe.id };
  const move = async (status: Status) => {
    await answer(api.PATCH('/api/probes/{id}', { params: { path }, body: { status } }));
    await probesChanged();
  };
  const isDraining = probe.status === 'draining';
  const [to, backTo]: [Status, Status] = isDraining ? ['online', 'draining'] : ['draining', 'online'];
  const drain = () => {
    move(to).then(() => toast(isDraining ? texts.undrained : texts.drained, () => move(backTo)), toastError);
  };
  const close = () => setAsked(null);
  return (
    <>
      <Menu label="⋯" name={texts.actionsOf(probe.name)}>
        <MenuItem onChoose={() => setAsked('edit')}>{texts.edit}</MenuItem>
        <MenuItem onChoose={drain} disabled={probe.status === 'enrolling'}>{isDraining ? texts.undrain : texts.drain}</MenuItem>
        <MenuItem onChoose={() => setAsked('rotate')} disabled={probe.status === 'enrolling'}>{texts.rotate}</MenuItem>
        <MenuItem onChoose={() => setAsked('revoke')}>{texts.revoke}</MenuItem>
      </Menu>
      {asked === 'edit' && <EditProbe probe={probe} onClose={close} />}
      {asked === 'rotate' && (
        <ConfirmDialog
          title={texts.rotateAsk(probe.name)} text={texts.rotateLong} verb={texts.rotate} onClose={close}
          action={async () => {
            await answer(api.POST('/api/probes/{id}/rotate-keys', { params: { path } }));
            await probesChanged();
            toast(texts.rotated);
          }}
        />
      )}
      {asked === 'revoke' && (
        <ConfirmDialog
          title={texts.revokeAsk(probe.name)} text={texts.revokeLong} verb={texts.revoke} onClose={close}
          action={async () => {
            await answer(api.DELETE('/api/probes/{id}', { params: { path } }));
            await probesChanged();
            toast(texts.revoked);
            if (isAlone) route(href('/fleet'));
          }}
        />
      )}
    </>
  );
}
