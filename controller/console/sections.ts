/** The first part of every path at which the console shows something; `/` is its overview. */
export const SECTIONS = [
  'welcome', 'sign-in', 'sign-up', 'forgot-password', 'accept-invitation', 'wall', 'monitors', 'incidents', 'fleet', 'destinations',
  'pages', 'maintenance', 'settings',
] as const;
