import { type Command, Option } from 'commander'
import type { Config, TlsFiles } from '../../config/config.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type ConfigOption, readConfig, withConfig } from '../options.ts'

/** Where a configuration names a certificate of ours. */
const PLACES = ['callbacks', 'chargeNotifications', 'api', 'forwarding'] as const
type Place = (typeof PLACES)[number]

export interface PlaceOptions extends ConfigOption {
  readonly for?: Place
}

export function withPlace(command: Command): Command {
  return withConfig(command).addOption(
    new Option('--for <section>', 'the certificate of this section of the configuration (default: callbacks)').choices(
      PLACES,
    ),
  )
}

/** What the certificate there is shown as. */
export function usageOf(place: Place | undefined): 'server' | 'client' {
  return place === 'forwarding' ? 'client' : 'server'
}

/** The files of the section that `--for` names, callbacks by default. */
export function filesOf(options: PlaceOptions): TlsFiles {
  const config = readConfig(options)
  const place = options.for ?? 'callbacks'
  const files = sectionFiles(config, place)
  if (files !== null) return files
  const key = place === 'forwarding' ? 'forwarding.clientCertificate' : place
  throw new PortariaError(
    'configuration_invalid',
    `${config.file} names no certificate under ${key}: add certificate and privateKey there, or name files yourself`,
  )
}

function sectionFiles(config: Config, place: Place): TlsFiles | null {
  switch (place) {
    case 'callbacks':
      return config.callbacks
    case 'chargeNotifications':
      return config.chargeNotifications?.tls ?? null
    case 'api':
      return config.api.tls
    case 'forwarding':
      return config.forwarding.clientCertificate
  }
}
