import { options, type ComponentChildren, type VNode } from 'preact';
import { LocationProvider, useLocation } from 'preact-iso';
import { useMemo } from 'preact/hooks';
import { basePath, belowBasePath } from '../api/base-path.ts';

/** Paths of the origin that aren't views. */
const SCOPE = new RegExp(`^${basePath.replaceAll('.', '\\.')}/(?!api/|status/)`);

const LINKS: Record<string, 'href' | 'src'> = { a: 'href', img: 'src' };

/** Makes all links begin with the base path, so that views need not know it. */
function prefixLinks(): void {
  const { vnode: next } = options;
  options.vnode = (vnode) => {
    const { type, props } = vnode as VNode<Record<string, unknown>>;
    const name = typeof type === 'string' ? LINKS[type] : undefined;
    const link = name && props[name];
    if (name && typeof link === 'string' && link.startsWith('/')) props[name] = `${basePath}${link}`;
    next?.(vnode);
  };
}

if (basePath !== '') prefixLinks();

/** Provides the location without the base path. */
export function BaseLocation({ children }: { children: ComponentChildren }) {
  return <LocationProvider scope={SCOPE}><Below>{children}</Below></LocationProvider>;
}

function Below({ children }: { children: ComponentChildren }) {
  const location = useLocation();
  const below = useMemo(() => ({
    ...location, url: belowBasePath(location.url), path: belowBasePath(location.path),
    route: (url: string, replace?: boolean) => location.route(`${basePath}${url}`, replace),
  }), [location]);
  return <LocationProvider.ctx.Provider value={below}>{children}</LocationProvider.ctx.Provider>;
}
