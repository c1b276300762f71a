import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { href } from '../ui/link.ts';
import { ManagedNote } from '../ui/managed.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast, toastError } from '../ui/toast.tsx';
import { pagePathWithHeader, updateCachedPage, pagePath, type StatusPage } from './page-queries.ts';

type Move = 'publish' | 'unpublish' | 'archive';
const DONE = { publish: 'published', unpublish: 'draft', archive: 'archived' } as const;

/** Publishes, archives and deletes a page. */
export function PageActions({ page: { id, name, status, managed_by } }: { page: StatusPage }) {
  const [isDeleting, setDeleting] = useState(false);
  const { route } = useLocation();
  const params = pagePath(id);
  const move = useMutation({
    mutationFn: (to: Move) => unwrap(api.POST(`/api/projects/{projectId}/status-pages/{id}/${to}`, { params })),
    onSuccess: (changed, to) => {
      updateCachedPage(changed);
      toast(texts[DONE[to]]);
    },
    onError: toastError,
  });
  return (
    <>
      {status === 'published'
        ? <Button isBusy={move.isPending} onClick={() => move.mutate('unpublish')}>{texts.unpublish}</Button>
        : <Button variant="primary" isBusy={move.isPending} onClick={() => move.mutate('publish')}>{texts.publish}</Button>}
      <Menu name={texts.more} label="⋯">
        {status !== 'archived' && <MenuItem onChoose={() => move.mutate('archive')}>{texts.archive}</MenuItem>}
        <MenuItem onChoose={() => setDeleting(true)}>{shellTexts.delete}</MenuItem>
      </Menu>
      {isDeleting && (
        <ConfirmDialog
          title={texts.deleteOf(name)} text={<><p>{texts.deleteText(name)}</p><ManagedNote owner={managed_by} /></>} requiredText={name}
          confirmLabel={shellTexts.delete}
          onClose={() => setDeleting(false)}
          action={async () => {
            await unwrap(api.DELETE('/api/projects/{projectId}/status-pages/{id}', { params: pagePathWithHeader(id) }));
            queries.removeQueries({ queryKey: ['pages'] });
            route(href('/pages'));
          }}
        />
      )}
    </>
  );
}
