import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Checkbox, Field, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { toast } from '../ui/toast.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import { orNull } from './page-draft.ts';
import { LIST, pagePath, type StatusPage } from './reading.ts';

type Scheme = StatusPage['color_scheme'];
const FALLBACK_COLOR = '#0b6b6b';

/** What a page looks like. */
export function BrandingForm({ page: { id, color_scheme: scheme, branding = {} } }: { page: StatusPage }) {
  const [start, setStart] = useState({
    defaultTheme: scheme, primaryColor: branding.primaryColor ?? null, logoUrl: branding.logoUrl ?? '',
    faviconUrl: branding.faviconUrl ?? '', headerText: branding.headerText ?? '', footerText: branding.footerText ?? '',
    customCss: branding.customCss ?? '',
  });
  const [draft, setDraft] = useState(start);
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const save = useMutation({
    mutationFn: () => answer(api.PUT('/api/projects/{projectId}/status-pages/{id}/branding', {
      params: pagePath(id),
      body: {
        ...draft, logoUrl: orNull(draft.logoUrl), faviconUrl: orNull(draft.faviconUrl), headerText: orNull(draft.headerText),
        footerText: orNull(draft.footerText), customCss: orNull(draft.customCss),
      },
    })),
    onSuccess: () => {
      setStart(draft);
      void queries.invalidateQueries({ queryKey: ['pages', id] });
      void queries.invalidateQueries({ queryKey: LIST });
      toast(texts.saved);
    },
  });
  useUnsaved(!save.isPending && JSON.stringify(draft) !== JSON.stringify(start));
  const wrong = save.error instanceof ApiError ? save.error.fields : {};
  const color = draft.primaryColor;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <fieldset>
        <legend>{texts.branding}</legend>
        <div class="fields">
          <SelectField<Scheme>
            label={texts.scheme} value={draft.defaultTheme} onValue={(defaultTheme) => set({ defaultTheme })}
            options={[['system', texts.system], ['light', texts.light], ['dark', texts.dark]]}
          />
          <div class="page-color">
            <Checkbox
              label={texts.ownColor} value={color !== null} onValue={(isOn) => set({ primaryColor: isOn ? FALLBACK_COLOR : null })}
            />
            {color !== null && (
              <Field label={texts.color} error={wrong['primaryColor']}>
                {(own) => <input {...own} type="color" value={color} onInput={({ currentTarget }) => set({ primaryColor: currentTarget.value })} />}
              </Field>
            )}
          </div>
        </div>
        <TextField
          label={texts.logo} hint={texts.imageHint} isOptional type="url" maxLength={2000} value={draft.logoUrl}
          onValue={(logoUrl) => set({ logoUrl })} error={wrong['logoUrl']}
        />
        <TextField
          label={texts.favicon} isOptional type="url" maxLength={2000} value={draft.faviconUrl} onValue={(faviconUrl) => set({ faviconUrl })}
          error={wrong['faviconUrl']}
        />
        <TextArea label={texts.header} isOptional rows={2} maxLength={500} value={draft.headerText} onValue={(headerText) => set({ headerText })} error={wrong['headerText']} />
        <TextArea label={texts.footer} isOptional rows={2} maxLength={500} value={draft.footerText} onValue={(footerText) => set({ footerText })} error={wrong['footerText']} />
        <TextArea
          label={texts.css} hint={texts.cssHint} isOptional rows={6} maxLength={20_000} spellcheck={false} value={draft.customCss}
          onValue={(customCss) => set({ customCss })} error={wrong['customCss']}
        />
      </fieldset>
      <ErrorNote error={save.error} />
      <div class="form-foot"><Button type="submit" variant="primary" isBusy={save.isPending}>{shellTexts.save}</Button></div>
    </form>
  );
}
