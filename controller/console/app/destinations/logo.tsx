import type { Kind } from './draft.ts';

/** A sign of our own for each type: a color and lines on a grid of 16 by 16. */
const SIGNS: Record<Kind, readonly [color: string, lines: string]> = {
  email: ['#4b5563', 'M3 5h10v7H3zM3 5l5 4 5-4'],
  slack: ['#611f69', 'M6 3v10M10 3v10M3 6h10M3 10h10'],
  teams: ['#4b53bc', 'M3.5 4.5h9M8 4.5V12'],
  discord: ['#4752c4', 'M4 11c-1-3 0-6 1-7l2 1h2l2-1c1 1 2 4 1 7l-2-1H6zM6.5 8v.5M9.5 8v.5'],
  telegram: ['#1c7bb0', 'M3 8l10-4-2 9-3-3zM8 10l5-6'],
  google_chat: ['#147a3d', 'M3 4h10v7H8l-3 2.5V11H3z'],
  mattermost: ['#1e4a9c', 'M12 5a5.2 5.2 0 1 1-5-1.8M9 3v4.5'],
  rocket_chat: ['#b3202a', 'M8 3c2.5 1.5 2.5 5 1.5 7h-3C5.5 8 5.5 4.5 8 3zM6.5 10l-2 2M9.5 10l2 2'],
  matrix: ['#22272e', 'M5 3H3.5v10H5M11 3h1.5v10H11M6 10V7M8 10V7M10 10V7'],
  pagerduty: ['#047a2f', 'M5 13V3h4a3 3 0 0 1 0 6H5'],
  alertmanager: ['#b23f16', 'M4.5 11h7L10.5 9V6.5a2.5 2.5 0 0 0-5 0V9zM7 13h2M8 2.5v1.5'],
  ntfy: ['#2b6b60', 'M3 4h10v7H6l-3 2zM5.5 6.5L7 8 5.5 9.5M8.5 9.5h2'],
  gotify: ['#1b6a96', 'M3 8a5 5 0 0 1 10 0v4H3zM6 8v.5M10 8v.5'],
  pushover: ['#0f6aa8', 'M6 12L9 4M6 5.5c4-2 7 0 6 2s-3 2.5-5 2'],
  twilio: ['#b01e2e', 'M8 2.8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 0 1 8 2.8M6.3 6.3v.5M9.7 6.3v.5M6.3 9.5v.5M9.7 9.5v.5'],
  apprise: ['#5b4b9e', 'M3 7v2h2l5 3V4L5 7zM12 6.5v3'],
  webhook: ['#374151', 'M6.5 7.5a2 2 0 1 1 3 0l2 3M4.5 11h7M4.5 11l2-3.5'],
};

export function Logo({ kind }: { kind: Kind }) {
  const [color, lines] = SIGNS[kind];
  return (
    <svg class="destination-logo" viewBox="0 0 16 16" width="24" height="24" aria-hidden="true">
      <rect width="16" height="16" rx="3.5" fill={color} />
      <path d={lines} fill="none" stroke="#fff" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
