/** The first path segments that belong to the console; `/` is the overview. */
export const SECTIONS = [
  'welcome', 'sign-in', 'sign-up', 'forgot-password', 'accept-invitation', 'wall', 'monitors', 'groups', 'incidents', 'fleet', 'destinations',
  'pages', 'maintenance', 'settings',
] as const;
