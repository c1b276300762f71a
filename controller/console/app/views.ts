import { lazy } from 'preact-iso';

/** Views by path; each section is loaded when it is first opened. */
export const SIGNED_IN = {
  '/': lazy(() => import('./overview/overview.tsx')),
  '/monitors': lazy(() => import('./overview/overview.tsx')),
  '/wall': lazy(() => import('./overview/wall.tsx')),
  '/welcome': lazy(() => import('./welcome/welcome.tsx')),
  '/monitors/new': lazy(() => import('./editing/new-monitor.tsx')),
  '/monitors/import': lazy(() => import('./editing/import.tsx')),
  '/monitors/:id': lazy(() => import('./monitor/monitor.tsx')),
  '/monitors/:id/edit': lazy(() => import('./editing/edit-monitor.tsx')),
  '/monitors/:id/:view': lazy(() => import('./monitor/monitor.tsx')),
  '/incidents': lazy(() => import('./incidents/incidents.tsx')),
  '/incidents/:id': lazy(() => import('./incidents/incident.tsx')),
  '/fleet': lazy(() => import('./fleet/fleet.tsx')),
  '/fleet/:view': lazy(() => import('./fleet/fleet.tsx')),
  '/fleet/probes/:id': lazy(() => import('./fleet/probe.tsx')),
  '/destinations': lazy(() => import('./destinations/destinations.tsx')),
  '/destinations/new': lazy(() => import('./destinations/new-destination.tsx')),
  '/destinations/:id': lazy(() => import('./destinations/destination.tsx')),
  '/pages': lazy(() => import('./pages/pages.tsx')),
  '/pages/:id': lazy(() => import('./pages/page.tsx')),
  '/pages/:id/:view': lazy(() => import('./pages/page.tsx')),
  '/maintenance': lazy(() => import('./maintenance/maintenance.tsx')),
  '/maintenance/new': lazy(() => import('./maintenance/maintenance-window.tsx')),
  '/maintenance/:id': lazy(() => import('./maintenance/maintenance-window.tsx')),
  '/settings': lazy(() => import('./settings/settings.tsx')),
  '/settings/:view': lazy(() => import('./settings/settings.tsx')),
};

/** In place of all of them, until the reader's address is verified. */
export const UNVERIFIED = lazy(() => import('./session/unverified.tsx'));

/** Views of anybody, signed in or not. */
export const OF_ANYBODY = {
  '/accept-invitation': lazy(() => import('./session/accept-invitation.tsx')),
};

/** Views of somebody who is not signed in; every other path leads to signing in first. */
export const SIGNED_OUT = {
  '/sign-in': lazy(() => import('./session/sign-in.tsx')),
  '/sign-up': lazy(() => import('./session/sign-up.tsx')),
  '/forgot-password': lazy(() => import('./session/forgot-password.tsx')),
};
