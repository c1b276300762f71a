import { pageTexts as texts } from '../texts/pages.ts';
import type { StatusPage } from './page-queries.ts';

const STATES = { draft: 'unknown', published: 'up', archived: 'unknown' } as const;

export function PublicationBadge({ status }: { status: StatusPage['status'] }) {
  return <span class={`state-badge ${STATES[status]}`}>{texts[status]}</span>;
}

/** The page's public URL as a path, which works on every host of the installation. */
export function publicPath({ subdomain }: Pick<StatusPage, 'subdomain'>): string {
  return `/status/${subdomain}`;
}
