import type { AppError } from '../../../errors/app-error.ts';
import type { ValidationIssue } from '../../../http/input/validation.ts';
import { html } from '../../../pages/html.ts';
import { isServerError, renderPage, type Page, type PageReader } from '../../../pages/layout.ts';
import { TEXTS } from '../languages/language.ts';
import { languageOf, languageQuery } from '../languages/preferred-language.ts';
import type { Texts } from '../languages/texts.ts';

/** An API error as a page, in the reader's language. */
export function viewPageError(error: AppError, { languages, query }: PageReader): Page {
  const choice = languageQuery.parse(Object.fromEntries(new URLSearchParams(query)));
  const language = languageOf(languages === undefined ? {} : { languages }, choice);
  const { errors } = TEXTS[language];
  return renderPage(errors.title, html`<p role="alert">${errors[kindOf(error)]}</p>`, language);
}

function kindOf(error: AppError): keyof Texts['errors'] {
  if (isServerError(error)) return 'ours';
  if (error.code === 'RESOURCE_NOT_FOUND') return 'missing';
  if (error.code === 'RATE_LIMIT_EXCEEDED') return 'often';
  // VALIDATION_ERROR lists its issues in `details`; other errors have no path.
  const [issue] = Array.isArray(error.details) ? error.details as Partial<ValidationIssue>[] : [];
  const field = issue?.path?.[0];
  return field === 'token' ? 'link' : field === 'email' ? 'email' : 'input';
}
