/** What every HTTP listener allows its callers. */
export interface RequestLimits {
  readonly headersBytes: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
}

/** Node's own options of both server classes, from the limits. */
export function serverOptions(limits: RequestLimits) {
  return {
    maxHeaderSize: limits.headersBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Node checks both request timeouts this often; its default of 30 s would turn 10 s into 40 s.
    connectionsCheckingInterval: 1000,
    noDelay: true,
    // Without it Node answers a request without Host itself, before it can be logged; the applications check for it.
    requireHostHeader: false,
  }
}
