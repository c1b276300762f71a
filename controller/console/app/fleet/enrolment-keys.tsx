import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { baseUrl } from '../api/base-path.ts';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { lifetimeTexts } from '../texts/lifetime.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Empty } from '../ui/page.tsx';
import { Expiry } from '../ui/lifetime.tsx';
import { Table } from '../ui/table.tsx';
import { Ago, numberText } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { NewEnrolmentKey } from './new-enrolment-key.tsx';
import { invalidateFleet, type Region } from './probes.ts';

type EnrolmentKey = components['schemas']['EnrolmentKey'];
type OpenDialog = { kind: 'create' } | { kind: 'shown'; name: string; key: string } | { kind: 'delete'; doc: EnrolmentKey };

/** A region's enrolment keys. A key is shown only once, when it is created. */
export function EnrolmentKeys({ region: { id, name }, onClose }: { region: Region; onClose: () => void }) {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const query = useQuery({
    queryKey: ['fleet', 'enrolment-keys', id],
    queryFn: () => unwrap(api.GET('/api/regions/{id}/enrolment-keys', { params: { path: { id } } })),
  });
  const close = () => setOpenDialog(null);
  return (
    <Dialog title={texts.enrolmentKeysOf(name)} onClose={onClose} class="wide">
      <p class="hint">{texts.enrolmentKeysText}</p>
      <QueryResult query={query}>
        {({ enrolment_keys: keys }) => (keys.length === 0
          ? <Empty title={texts.noEnrolmentKeys} />
          : <KeyTable keys={keys} onDelete={(doc) => setOpenDialog({ kind: 'delete', doc })} />)}
      </QueryResult>
      <footer><Button variant="primary" onClick={() => setOpenDialog({ kind: 'create' })}>{texts.newEnrolmentKey}</Button></footer>
      {openDialog?.kind === 'create' && (
        <NewEnrolmentKey
          regionId={id} onClose={close}
          onCreated={({ enrolment_key: doc, key }) => {
            setOpenDialog({ kind: 'shown', name: doc.name, key });
            void invalidateFleet();
          }}
        />
      )}
      {openDialog?.kind === 'shown' && <NewKey {...openDialog} onClose={close} />}
      {openDialog?.kind === 'delete' && (
        <ConfirmDialog
          title={texts.deleteEnrolmentKeyTitle(openDialog.doc.name)} text={texts.deleteEnrolmentKeyText} confirmLabel={texts.deleteRegion}
          onClose={close}
          action={async () => {
            await unwrap(api.DELETE('/api/regions/{id}/enrolment-keys/{keyId}', { params: { path: { id, keyId: openDialog.doc.id } } }));
            await invalidateFleet();
            toast(texts.regionDeleted);
          }}
        />
      )}
    </Dialog>
  );
}

function KeyTable({ keys, onDelete }: { keys: EnrolmentKey[]; onDelete: (key: EnrolmentKey) => void }) {
  return (
    <Table columns={[texts.name, { number: texts.uses }, lifetimeTexts.expires, texts.lastUsed, { hidden: texts.deleteRegion }]}>
      {keys.map((key) => (
        <tr key={key.id}>
          <th scope="row" class="wide">
            {key.name} {key.is_ephemeral && <span class="tag">{texts.ephemeral}</span>}
            {key.cidrs.length > 0 && <p class="small faint">{key.cidrs.join(', ')}</p>}
          </th>
          <td class="number" data-label={texts.uses}>
            {key.max_uses === null ? numberText(key.uses) : texts.usesOf(numberText(key.uses), numberText(key.max_uses))}
          </td>
          <td data-label={lifetimeTexts.expires}><Expiry at={key.expires_at} /></td>
          <td data-label={texts.lastUsed}>{key.last_used_at === null ? texts.never : <Ago at={key.last_used_at} />}</td>
          <td class="number">
            <Button variant="quiet" aria-label={texts.deleteEnrolmentKeyTitle(key.name)} onClick={() => onDelete(key)}>{texts.deleteRegion}</Button>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function NewKey({ name, key, onClose }: { name: string; key: string; onClose: () => void }) {
  return (
    <Dialog title={name} onClose={onClose}>
      <p class="note">{texts.keyShownOnce}</p>
      <CopyLine label={texts.enrolmentKey} text={key} />
      <p>{texts.keyCommandText}</p>
      <CopyLine label={texts.command} text={`FARWATCH_TOKEN=${key} npx farwatch probe --controller ${baseUrl}`} />
      <p>{texts.kubernetesText}</p>
      <CopyLine
        label={texts.kubernetesSecret}
        text={`kubectl create secret generic farwatch-enrolment-key --from-literal=FARWATCH_TOKEN=${key}`}
      />
      <footer><Button variant="primary" onClick={onClose}>{texts.done}</Button></footer>
    </Dialog>
  );
}
