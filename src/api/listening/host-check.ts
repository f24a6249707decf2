/**
 * Without TLS the Host header is compared with the loopback names and `api.hostNames`, against DNS rebinding. 421
 * rather than 403: the request was meant for another server (RFC 9110 section 15.5.20).
 */

import type { RequestHandler } from 'express'
import type { RefusedCaller } from '../../domain/refusal.ts'
import { PortariaError } from '../../platform/errors.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { say } from '../../platform/said.ts'
import { addressOf } from '../../tls/remote-address.ts'

export type HostCheck = RequestHandler

/**
 * Prevents DNS rebinding: a web page whose host name resolves to a loopback address could read answers of this API in a local browser, but its
 * requests carry its own host name. Browsers resolve `localhost` and its subdomains themselves (RFC 6761 section 6.3). Errors are `misdirected`.
 * @param hostNames other names of this API, in lower case
 */
export function createHostCheck(
  hostNames: readonly string[],
  onRefused: (remoteAddress: string, describe: () => RefusedCaller) => void,
): HostCheck {
  const isAllowed = (name: string) => isLoopback(name) || name.endsWith('.localhost') || hostNames.includes(name)

  return function checkHost(request, _response, next) {
    const { host } = request.headers
    // HTTP/1.0 has no Host header, and every browser sends one.
    if (host === undefined || isAllowed(nameIn(host))) return next()
    const printable = host.slice(0, 255).replaceAll(/[^!-~]/g, '?')
    onRefused(addressOf(request.socket), () => ({ code: 'wrong_host', detail: printable }))
    throw new PortariaError(
      'misdirected',
      say`the Host header names ${{ given: printable }}, which is not a name of this API: use localhost or a loopback address, or add the name to api.hostNames`,
    )
  }
}

/** The host without port, brackets and final dot (RFC 9110 section 7.2); '' for an invalid header. */
function nameIn(host: string): string {
  const [, address, name = ''] = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/?#[\]]+))(?::\d{0,5})?$/i.exec(host) ?? []
  return (address ?? name).toLowerCase().replace(/\.$/, '')
}
