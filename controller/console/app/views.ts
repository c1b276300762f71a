import { part } from './ui/part.tsx';

/** Views by path; each section is loaded when it is first opened. */
export const SIGNED_IN = {
  '/': part(() => import('./overview/overview.tsx')),
  '/monitors': part(() => import('./overview/overview.tsx')),
  '/wall': part(() => import('./overview/wall.tsx')),
  '/welcome': part(() => import('./welcome/welcome.tsx')),
  '/monitors/new': part(() => import('./editing/new-monitor.tsx')),
  '/monitors/import': part(() => import('./editing/import.tsx')),
  '/monitors/:id': part(() => import('./monitor/monitor.tsx')),
  '/monitors/:id/edit': part(() => import('./editing/edit-monitor.tsx')),
  '/monitors/:id/:view': part(() => import('./monitor/monitor.tsx')),
  '/incidents': part(() => import('./incidents/incidents.tsx')),
  '/incidents/:id': part(() => import('./incidents/incident.tsx')),
  '/fleet': part(() => import('./fleet/fleet.tsx')),
  '/fleet/:view': part(() => import('./fleet/fleet.tsx')),
  '/fleet/probes/:id': part(() => import('./fleet/probe.tsx')),
  '/destinations': part(() => import('./destinations/destinations.tsx')),
  '/destinations/new': part(() => import('./destinations/new-destination.tsx')),
  '/destinations/:id': part(() => import('./destinations/destination.tsx')),
  '/pages': part(() => import('./pages/pages.tsx')),
  '/pages/:id': part(() => import('./pages/page.tsx')),
  '/pages/:id/:view': part(() => import('./pages/page.tsx')),
  '/maintenance': part(() => import('./maintenance/maintenance.tsx')),
  '/maintenance/new': part(() => import('./maintenance/maintenance-window.tsx')),
  '/maintenance/:id': part(() => import('./maintenance/maintenance-window.tsx')),
  '/settings': part(() => import('./settings/settings.tsx')),
  '/settings/:view': part(() => import('./settings/settings.tsx')),
};

/** In place of all of them, until the reader's address is verified. */
export const UNVERIFIED = part(() => import('./session/unverified.tsx'));

/** Views of anybody, signed in or not. */
export const OF_ANYBODY = {
  '/accept-invitation': part(() => import('./session/accept-invitation.tsx')),
};

/** Views of somebody who is not signed in; every other path leads to signing in first. */
export const SIGNED_OUT = {
  '/sign-in': part(() => import('./session/sign-in.tsx')),
  '/sign-up': part(() => import('./session/sign-up.tsx')),
  '/forgot-password': part(() => import('./session/forgot-password.tsx')),
};
