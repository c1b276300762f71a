/** Of controllers and probes: in leases, beats, results and the User-Agent. */
export const VERSION = '1.0.0-rc.1';
