import type { AppError } from '../../shared/errors.ts';
import { html } from './html.ts';
import { renderPage, type Page } from './layout.ts';

/** What a person sees instead of the JSON of an error. */
export function showError(error: AppError): Page {
  const isOurs = error.code === 'INTERNAL_ERROR' || error.code === 'SERVICE_UNAVAILABLE';
  const text = isOurs ? 'Something went wrong on our side. Please try again in a moment.' : error.message.replace(/^Validation failed: (?:[a-z_.]+: )?/, '');
  return renderPage('That did not work', html`<p role="alert">${text}</p>`);
}
