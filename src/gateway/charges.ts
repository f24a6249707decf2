import { type ChargesWithTokens, type Config, type ConfigWithSecrets, suffixesOf } from '../config/config.ts'
import { compileNetworks } from '../domain/address-rules.ts'
import { CHARGE_KIND } from '../domain/kinds.ts'
import { institutionOf } from '../domain/realm.ts'
import { kindBehind } from '../domain/routes.ts'
import { PortariaError } from '../platform/errors.ts'
import { type ChargeListener, startChargeListener } from '../receiving/charge-listener.ts'
import type { PathToken } from '../receiving/path-tokens.ts'

export function startCharges(
  config: ConfigWithSecrets,
  parts: Omit<
    Parameters<typeof startChargeListener>[0],
    'host' | 'port' | 'tokens' | 'isAddressAllowed' | 'proxyProtocol'
  >,
): Promise<ChargeListener | null> {
  const settings = config.chargeNotifications
  if (settings === null && parts.socket !== undefined) throw new PortariaError('configuration_invalid', NO_CHARGES)
  for (const institution of institutionsWithoutCharges(config)) {
    const whose = institution === null ? {} : { institution }
    parts.log.warn({ ...whose, reason: CHARGES_ARE_OFF, set: 'chargeNotifications' }, 'charges.off')
  }
  if (settings === null) return Promise.resolve(null)
  const isInList = compileNetworks(settings.allowedAddresses)
  return startChargeListener({
    ...settings,
    ...parts,
    tokens: tokensOf(settings, config),
    isAddressAllowed: (address) => settings.allowedAddresses.length === 0 || isInList(address),
  })
}

function tokensOf({ tokens, pathTokens }: ChargesWithTokens, config: Config): PathToken[] {
  return [
    ...tokens.map((one) => ({ ...one, kind: CHARGE_KIND, path: '/charges', suffixes: [] })),
    ...config.callbacks.kinds.flatMap((one) => {
      const { institution, name, path } = one
      const suffixes = suffixesOf(config, institution)
      const kinds = config.callbacks.kinds.filter((other) => other.institution === institution)
      const kindsBehind = Object.fromEntries(
        suffixes.map((suffix) => [suffix, kindBehind(one, suffix, { kinds, suffixes })]),
      )
      return pathTokens
        .filter(({ kind, environment }) => kind === name && institutionOf(environment) === institution)
        .map((token) => ({ ...token, path, suffixes, kindsBehind }))
    }),
  ]
}

/** Those that have the kind charge, but no token of it; null: the unnamed one. */
export function institutionsWithoutCharges({ callbacks, chargeNotifications }: Config): (string | null)[] {
  const { tokens = [], pathTokens = [] } = chargeNotifications ?? {}
  const ofCharges = [...tokens, ...pathTokens.filter(({ kind }) => kind === CHARGE_KIND)]
  const withTokens = ofCharges.map(({ environment }) => institutionOf(environment))
  return callbacks.kinds
    .filter(({ institution, name }) => name === CHARGE_KIND && !withTokens.includes(institution))
    .map(({ institution }) => institution)
}

export const CHARGES_ARE_OFF =
  'kind charge is accepted over mutual TLS only; the service sends charge notifications without a client certificate: set chargeNotifications and its tokens to receive them'

const NO_CHARGES =
  'a socket was passed for charges, but the configuration has no chargeNotifications: write that section, or disable the socket unit'
