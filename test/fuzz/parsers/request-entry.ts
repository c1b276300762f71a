export { nextHop, redirectTarget, tooManyRedirects } from '../../../probe/checks/http/hops.ts';
export { requestBytes } from '../../../probe/checks/http/request-head.ts';
