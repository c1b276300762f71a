import { html, type Html } from '../../../pages/html.ts';
import type { OverallState, PublicComponent } from '../public-view.ts';

type State = OverallState | PublicComponent['status'];

/** SVG paths in a 20 × 20 square; holes are transparent. */
const SHAPES = {
  ok: 'M10 1a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm4.3 5.7-5.5 5.6-2.9-2.8-1.3 1.3 4.2 4.1 6.8-6.9z',
  warning: 'M10 1.5q.9 0 1.4.9l7.4 13.7q.9 2.1-1.4 2.4H2.6q-2.3-.3-1.4-2.4L8.6 2.4q.5-.9 1.4-.9zM9 7v5.5h2V7zm0 7v2h2v-2z',
  bad: 'M10 1a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM7 5.6 5.6 7l3 3-3 3L7 14.4l3-3 3 3 1.4-1.4-3-3 3-3L13 5.6l-3 3z',
  maintenance: 'M18 5.2l-2.9 2.9-2.6-.6-.6-2.6L14.8 2a5.2 5.2 0 0 0-6.7 6.6L2.2 14.5a2.3 2.3 0 0 0 3.3 3.3l5.9-5.9A5.2 5.2 0 0 0 18 5.2z',
  unknown: 'M10 1a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM5.5 9v2h9V9z',
} as const;

const SHAPE_OF: Readonly<Record<State, keyof typeof SHAPES>> = {
  operational: 'ok', up: 'ok', degraded: 'warning', partial_outage: 'warning', major_outage: 'bad', down: 'bad',
  maintenance: 'maintenance', unknown: 'unknown', paused: 'unknown',
};

/** The shapes that `icon` references; included once per document. */
export const ICON_SHAPES: Html = html`<svg class="shapes" aria-hidden="true">${
  Object.entries(SHAPES).map(([name, path]) =>
    html`<symbol id="i-${name}" viewBox="0 0 20 20"><path fill-rule="evenodd" d="${path}"/></symbol>`)}</svg>`;

/** Each state has its own shape besides its color; text next to the icon names the state. */
export function icon(state: State): Html {
  return html`<svg class="icon ${state}"><use href="#i-${SHAPE_OF[state]}"/></svg>`;
}

/** The banner at the top of a page. Screen readers announce it when the live script changes it. */
export function banner(state: State, text: string): Html {
  return html`<p class="overall ${state}" role="status">${icon(state)}<span>${text}</span></p>`;
}
