import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { certificatesOfBytes, hasIssued } from '../../certificates/files/pem.ts'
import { activeFilesOf } from '../../certificates/trust/chain-folder.ts'
import type { Config } from '../../config/config.ts'
import { loadChargeToken } from '../../config/load-config.ts'
import { CHARGE_KIND } from '../../domain/kinds.ts'
import { type Environment, environmentOf, realmOf } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { readConfig } from '../config-file.ts'
import type { ConfigOption } from '../options.ts'

export interface LocalTarget {
  readonly url: URL
  readonly shownUrl: string
  /** PEM; null: the public authorities. */
  readonly receiverCa: string | null
  readonly credentials: { readonly certificate: string; readonly privateKey: string } | null
  /** PEM of the chains that it trusts; null: it asks for no certificate. */
  readonly chain: string | null
}

interface Wanted {
  readonly kind: string
  readonly environment: Environment
}

/** Kinds of `portaria trigger` whose callbacks are notifications of charges. */
const CHARGES = ['charge', 'subscription', 'carnet']

/**
 * The gateway that the configuration file describes.
 * @throws PortariaError if it has no route for the kind, or if its port is unknown
 */
export function findLocalTarget(wanted: Wanted, options: ConfigOption): LocalTarget {
  const config = readConfig(options)
  return (CHARGES.includes(wanted.kind) ? chargeTarget(config, wanted) : null) ?? callbackTarget(config, wanted)
}

function callbackTarget(config: Config, { kind, environment }: Wanted): LocalTarget {
  const { callbacks } = config
  const name = CHARGES.includes(kind) ? CHARGE_KIND : kind
  const rule = callbacks.kinds.find((one) => one.name === name)
  if (rule === undefined) throw noRoute(config, kind)
  const realm = realmOf(rule.institution, environment)
  const chains = callbacks.trust.filter((one) => one.environment === realm).map(({ chain }) => chain)
  const base = callbacks.publicUrl ?? baseOf(callbacks, 'callbacks')
  return {
    url: new URL(base + rule.path),
    shownUrl: base + rule.path,
    receiverCa: developmentCa(callbacks.certificate),
    credentials: testCaller(chains, environment),
    chain: chains.flatMap(activeFilesOf).map(textOf).join('\n'),
  }
}

/** null: the charge listener is off, or has no token of the environment. */
function chargeTarget({ file, chargeNotifications: charges }: Config, { environment }: Wanted): LocalTarget | null {
  const entry = charges?.tokens.find((one) => environmentOf(one.environment) === environment)
  if (charges == null || entry === undefined) return null
  const base = `${charges.publicUrl ?? baseOf(charges, 'chargeNotifications', charges.tls === null ? 'http' : 'https')}/charges/`
  return {
    url: new URL(base + loadChargeToken(file, entry.environment)),
    shownUrl: `${base}…`,
    receiverCa: charges.tls === null ? null : developmentCa(charges.tls.certificate),
    credentials: null,
    chain: null,
  }
}

function baseOf({ port, host }: { port: number; host: string }, section: string, scheme = 'https'): string {
  if (port === 0)
    throw new PortariaError('request_invalid', say`${{ section }}.port is 0, so that its port is unknown: give --to`)
  const isAny = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)
  const name = isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${name}:${port}`
}

/** That of the certificates that development makes; null: there is none. */
function developmentCa(certificate: string): string | null {
  const file = join(dirname(certificate), 'server-ca.crt')
  return existsSync(file) ? textOf(file) : null
}

/** Both `npm start` and the simulated service have the client certificate of an environment in a folder beside that of its chain. */
function testCaller(chains: readonly string[], environment: Environment): LocalTarget['credentials'] {
  for (const chain of chains) {
    const folder = join(dirname(chain), '..', 'service')
    const [certificateFile, keyFile] = ['crt', 'key'].map((end) => join(folder, `${environment}-client.${end}`))
    if (certificateFile === undefined || keyFile === undefined || !existsSync(certificateFile)) continue
    const certificate = textOf(certificateFile)
    const [leaf] = certificatesOfBytes(Buffer.from(certificate), certificateFile, basename(certificateFile))
    const issuers = activeFilesOf(chain).flatMap((file) => certificatesOfBytes(readFileSync(file), file, file))
    if (leaf !== undefined && issuers.some((issuer) => hasIssued(issuer, leaf)))
      return { certificate, privateKey: textOf(keyFile) }
  }
  return null
}

function noRoute({ file, callbacks }: Config, kind: string): PortariaError {
  const known = callbacks.kinds.map(({ institution, name }) =>
    institution === null ? name : `${institution}: ${name}`,
  )
  return new PortariaError(
    'request_invalid',
    say`${{ file }} has no route for the kind ${{ kind }} (it has ${{ names: known.join(', ') }}): give the address with --to`,
  )
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8')
}
