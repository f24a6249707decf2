import { type Command, Option } from 'commander'
import type { Config, TlsFiles } from '../../config/config.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { readConfig } from '../config-file.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { wrongUsage } from '../output.ts'

/** Sections of the configuration with a certificate of our own. */
const PLACES = ['callbacks', 'chargeNotifications', 'api', 'forwarding'] as const
type Place = (typeof PLACES)[number]

export interface PlaceOptions extends ConfigOption {
  readonly for?: Place
}

export function withPlace(command: Command): Command {
  return withConfig(command).addOption(
    new Option(
      '--for <section>',
      'section of the configuration whose certificate is meant (default: callbacks)',
    ).choices(PLACES),
  )
}

/** How the certificate of that section is used. */
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

/** The files that two options name together, else those of `filesOf`. @param names of the options, for messages */
export function namedFilesOf(
  options: PlaceOptions,
  [certificate, privateKey]: readonly [string | undefined, string | undefined],
  names: string,
): TlsFiles {
  if (certificate === undefined && privateKey === undefined) return filesOf(options)
  if (certificate !== undefined && privateKey !== undefined && options.for === undefined)
    return { certificate, privateKey }
  throw wrongUsage(say`${{ names }} belong together, without --for: name both files, or a section of the configuration`)
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
