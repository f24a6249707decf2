import type { RequestHandler } from 'express'
import type { RefusedCaller } from '../../domain/refusal.ts'
import { PortariaError } from '../../platform/errors.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { addressOf } from '../../tls/remote-address.ts'

export type HostCheck = RequestHandler

/**
 * Against DNS rebinding: a page in a browser of this machine whose own name leads to a loopback address may read what it gets there, but its
 * requests name its own host. Browsers themselves resolve `localhost` and what is below it (RFC 6761 section 6.3). In front of everything else;
 * errors are `misdirected`.
 * @param hostNames other names that lead here, in small letters
 */
export function createHostCheck(
  hostNames: readonly string[],
  onRefused: (remoteAddress: string, describe: () => RefusedCaller) => void,
): HostCheck {
  const isOurs = (name: string) => isLoopback(name) || name.endsWith('.localhost') || hostNames.includes(name)

  return function checkHost(request, _response, next) {
    const { host } = request.headers
    // HTTP/1.0 knows none, and no browser leaves it out.
    if (host === undefined || isOurs(nameIn(host))) return next()
    const shown = host.slice(0, 255).replaceAll(/[^!-~]/g, '?')
    onRefused(addressOf(request.socket), () => ({ code: 'wrong_host', detail: shown }))
    throw new PortariaError(
      'misdirected',
      `the Host header names ${shown}, which is no name of this API: ask for localhost or a loopback address, or add the name to api.hostNames`,
    )
  }
}

/** Without its port, brackets and the dot of a full name (RFC 9110 section 7.2); '' where it cannot be read. */
function nameIn(host: string): string {
  const [, address, name = ''] = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/?#[\]]+))(?::\d{0,5})?$/i.exec(host) ?? []
  return (address ?? name).toLowerCase().replace(/\.$/, '')
}
