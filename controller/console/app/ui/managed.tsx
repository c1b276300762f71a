import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { canEdit } from '../api/session.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';

/** Says whose imports manage an item, and so overwrite changes; nothing for null. */
export function ManagedNote({ owner, children }: { owner: string | null; children?: ComponentChildren }) {
  if (owner === null) return null;
  return <div class="note managed" role="note"><p>{shellTexts.managedBy(owner)}</p>{children}</div>;
}

/** A form, disabled until the user confirms editing what an import manages. */
export function ManagedForm({ owner, children }: { owner: string | null; children: ComponentChildren }) {
  const [isEditing, setEditing] = useState(false);
  if (owner === null) return <>{children}</>;
  return (
    <>
      <ManagedNote owner={owner}>
        {canEdit.value && !isEditing && <Button onClick={() => setEditing(true)}>{shellTexts.editAnyway}</Button>}
      </ManagedNote>
      <fieldset class="managed-form" disabled={!isEditing}>{children}</fieldset>
    </>
  );
}
