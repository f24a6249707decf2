import type { ConfigWithSecrets } from '../config/config.ts'
import { compileNetworks } from '../domain/address-rules.ts'
import { PortariaError } from '../platform/errors.ts'
import { type ChargeListener, startChargeListener } from '../receiving/charge-listener.ts'

export function startCharges(
  config: ConfigWithSecrets,
  parts: Omit<
    Parameters<typeof startChargeListener>[0],
    'host' | 'port' | 'tokens' | 'isAddressAllowed' | 'proxyProtocol'
  >,
): Promise<ChargeListener | null> {
  const settings = config.chargeNotifications
  if (settings === null && parts.socket !== undefined) throw new PortariaError('configuration_invalid', NO_CHARGES)
  if (settings === null) {
    if (config.callbacks.kinds.some((kind) => kind.name === 'charge'))
      parts.log.warn({ reason: CHARGES_ARE_OFF, set: 'chargeNotifications' }, 'charges.off')
    return Promise.resolve(null)
  }
  const isInList = compileNetworks(settings.allowedAddresses)
  return startChargeListener({
    ...settings,
    ...parts,
    isAddressAllowed: (address) => settings.allowedAddresses.length === 0 || isInList(address),
  })
}

export const CHARGES_ARE_OFF =
  'kind charge is accepted over mutual TLS only; the service sends charge notifications without a client certificate: set chargeNotifications to receive them'

const NO_CHARGES =
  'a socket was passed for charges, but the configuration has no chargeNotifications: write that section, or disable the socket unit'
