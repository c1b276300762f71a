import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { href } from '../ui/link.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast, toastError } from '../ui/toast.tsx';
import { EditProbe } from './edit-probe.tsx';
import { invalidateFleet, type Probe } from './probes.ts';

type Status = 'draining' | 'online';

export function ProbeMenu({ probe, isOnProbePage = false }: { probe: Probe; isOnProbePage?: boolean }) {
  const [openDialog, setOpenDialog] = useState<'edit' | 'rotate' | 'revoke' | null>(null);
  const { route } = useLocation();
  const path = { id: probe.id };
  const changeStatus = async (status: Status) => {
    await unwrap(api.PATCH('/api/probes/{id}', { params: { path }, body: { status } }));
    await invalidateFleet();
  };
  const isDraining = probe.status === 'draining';
  const [to, previous]: [Status, Status] = isDraining ? ['online', 'draining'] : ['draining', 'online'];
  const toggleDraining = () => {
    changeStatus(to).then(() => toast(isDraining ? texts.undrained : texts.drained, () => changeStatus(previous)), toastError);
  };
  const close = () => setOpenDialog(null);
  return (
    <>
      <Menu label="⋯" name={texts.actionsOf(probe.name)}>
        <MenuItem onChoose={() => setOpenDialog('edit')}>{texts.edit}</MenuItem>
        <MenuItem onChoose={toggleDraining} disabled={probe.status === 'enrolling'}>{isDraining ? texts.undrain : texts.drain}</MenuItem>
        <MenuItem onChoose={() => setOpenDialog('rotate')} disabled={probe.status === 'enrolling'}>{texts.rotate}</MenuItem>
        <MenuItem onChoose={() => setOpenDialog('revoke')}>{texts.revoke}</MenuItem>
      </Menu>
      {openDialog === 'edit' && <EditProbe probe={probe} onClose={close} />}
      {openDialog === 'rotate' && (
        <ConfirmDialog
          title={texts.rotateTitle(probe.name)} text={texts.rotateText} confirmLabel={texts.rotate} onClose={close}
          action={async () => {
            await unwrap(api.POST('/api/probes/{id}/rotate-keys', { params: { path } }));
            await invalidateFleet();
            toast(texts.rotated);
          }}
        />
      )}
      {openDialog === 'revoke' && (
        <ConfirmDialog
          title={texts.revokeTitle(probe.name)} text={texts.revokeText} confirmLabel={texts.revoke} onClose={close}
          action={async () => {
            await unwrap(api.DELETE('/api/probes/{id}', { params: { path } }));
            await invalidateFleet();
            toast(texts.revoked);
            if (isOnProbePage) route(href('/fleet'));
          }}
        />
      )}
    </>
  );
}
