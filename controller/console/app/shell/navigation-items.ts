/** The navigation. `keys` opens an item after `g`. */
export const NAVIGATION_ITEMS = [
  { to: '/', name: 'overview', keys: 'm', icon: 'M3 12h4l2.5-7 5 14 2.5-7h4' },
  { to: '/incidents', name: 'incidents', keys: 'i', icon: 'M12 3 2.5 20h19zM12 10v4M12 17v.5' },
  { to: '/fleet', name: 'fleet', keys: 'f', icon: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18' },
  { to: '/destinations', name: 'destinations', keys: 'a', icon: 'M6 16V10a6 6 0 0 1 12 0v6l2 2H4zM10 21h4' },
  { to: '/pages', name: 'pages', keys: 'p', icon: 'M4 4h16v16H4zM4 9h16M8 13h8M8 16h5' },
  { to: '/maintenance', name: 'maintenance', keys: 'w', icon: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4' },
  { to: '/settings', name: 'settings', keys: 's', icon: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 5v4M8 15v4' },
  { to: '/monitors/new', name: 'newMonitor', keys: 'n', icon: null },
  { to: '/wall', name: 'wall', keys: 'x', icon: null },
] as const;
