import { pageTexts as texts } from '../texts/pages.ts';
import { Checkbox, Field, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { brandingDraft, brandingInput } from './page-draft.ts';
import { changePage, PageForm, usePageForm } from './page-form.tsx';
import type { StatusPage } from './page-queries.ts';

type Scheme = StatusPage['color_scheme'];
const FALLBACK_COLOR = '#0b6b6b';

export function BrandingForm({ page }: { page: StatusPage }) {
  const form = usePageForm(() => brandingDraft(page), (draft) => changePage(page.id, brandingInput(draft)));
  const { draft, set, fieldErrors } = form;
  const color = draft.primaryColor;
  return (
    <PageForm form={form}>
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
              <Field label={texts.color} error={fieldErrors.at('branding.primaryColor')}>
                {(own) => <input {...own} type="color" value={color} onInput={({ currentTarget }) => set({ primaryColor: currentTarget.value })} />}
              </Field>
            )}
          </div>
        </div>
        <TextField
          label={texts.logo} hint={texts.imageHint} isOptional type="url" maxLength={2000} value={draft.logoUrl}
          onValue={(logoUrl) => set({ logoUrl })} error={fieldErrors.at('branding.logoUrl')}
        />
        <TextField
          label={texts.favicon} isOptional type="url" maxLength={2000} value={draft.faviconUrl} onValue={(faviconUrl) => set({ faviconUrl })}
          error={fieldErrors.at('branding.faviconUrl')}
        />
        <TextArea
          label={texts.header} isOptional rows={2} maxLength={500} value={draft.headerText} onValue={(headerText) => set({ headerText })}
          error={fieldErrors.at('branding.headerText')}
        />
        <TextArea
          label={texts.footer} isOptional rows={2} maxLength={500} value={draft.footerText} onValue={(footerText) => set({ footerText })}
          error={fieldErrors.at('branding.footerText')}
        />
        <TextArea
          label={texts.css} hint={texts.cssHint} isOptional rows={6} maxLength={20_000} spellcheck={false} value={draft.customCss}
          onValue={(customCss) => set({ customCss })} error={fieldErrors.at('branding.customCss')}
        />
      </fieldset>
    </PageForm>
  );
}
