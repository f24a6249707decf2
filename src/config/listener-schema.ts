import { isIPv4 } from 'node:net'
import { isSameAddress } from '../domain/address-rules.ts'
import { integer, RELOADED_WHILE_SET, size, timeout } from './fields.ts'
import type { FileFields } from './secret-files.ts'
import { at, type ReportProblem } from './section-checks.ts'

/** Paths of PEM files; the certificate's file holds the full chain. */
export interface TlsFiles {
  readonly certificate: string
  readonly privateKey: string
}

/** Of a listener that may do without TLS. */
export function tlsFiles(files: FileFields) {
  return {
    certificate: files.path('the path of a certificate, PEM with its full chain').optional().meta(RELOADED_WHILE_SET),
    privateKey: files.path("the path of the certificate's private key, PEM").optional().meta(RELOADED_WHILE_SET),
  }
}

export function listenerLimits(requestTimeout: string) {
  return {
    headers: size({ min: '1KiB', max: '1MiB' }).prefault('16KiB'),
    handshakeTimeout: timeout().prefault('10s'),
    /** At most the request timeout: otherwise Node refuses to listen. */
    headersTimeout: timeout().prefault('10s'),
    requestTimeout: timeout().prefault(requestTimeout),
    keepAliveTimeout: timeout().prefault('65s'),
    maxConnections: integer(1, 1_000_000).prefault(2000),
    /** From one IPv4 address, or from one IPv6 /64. */
    connectionsPerAddress: integer(1, 1_000_000).optional(),
  }
}

/** null: plain http. */
export function toTlsFiles({ certificate, privateKey }: { [Key in keyof TlsFiles]: string | null }): TlsFiles | null {
  return certificate === null || privateKey === null ? null : { certificate, privateKey }
}

/** A quarter of the connections, where the file does not say it. */
export function toListenerLimits<T extends { maxConnections: number; connectionsPerAddress: number | null }>(
  limits: T,
) {
  return { ...limits, connectionsPerAddress: limits.connectionsPerAddress ?? Math.ceil(limits.maxConnections / 4) }
}

export function checkTlsPair(value: unknown, report: ReportProblem): void {
  const [certificate, privateKey] = [at(value, 'certificate'), at(value, 'privateKey')]
  if (certificate !== undefined && privateKey === undefined)
    report(['privateKey'], 'is missing: TLS needs both certificate and privateKey')
  if (certificate === undefined && privateKey !== undefined)
    report(['certificate'], 'is missing: TLS needs both certificate and privateKey')
}

export function checkListenerLimits(value: unknown, report: ReportProblem): void {
  const [headers, request] = [at(value, 'headersTimeout'), at(value, 'requestTimeout')]
  if (typeof headers === 'number' && typeof request === 'number' && headers > request)
    report(['headersTimeout'], 'must not be longer than requestTimeout, which includes it')
  const [all, perAddress] = [at(value, 'maxConnections'), at(value, 'connectionsPerAddress')]
  if (typeof all === 'number' && typeof perAddress === 'number' && perAddress > all)
    report(['connectionsPerAddress'], 'must not be more than maxConnections, the connections of all addresses together')
}

const LISTENERS = ['callbacks', 'chargeNotifications', 'api'] as const

/** Two listeners of one address and port: the second one could not listen. Port 0 is any free port. */
export function checkListenerAddresses(config: unknown, report: ReportProblem): void {
  const listeners = LISTENERS.flatMap((name) => {
    const [host, port] = [at(config, name, 'host'), at(config, name, 'port')]
    return typeof host === 'string' && typeof port === 'number' && port !== 0 ? [{ name, host, port }] : []
  })
  for (const [index, { name, host, port }] of listeners.entries()) {
    const other = listeners.slice(0, index).find((one) => one.port === port && overlap(one.host, host))
    if (other !== undefined)
      report(
        [name, 'port'],
        `is the port of ${other.name}, and ${host} and ${other.host} share an address: write another one`,
      )
  }
}

function overlap(one: string, other: string): boolean {
  return addressesOf(one).some((address) =>
    addressesOf(other).some((another) => covers(address, another) || covers(another, address)),
  )
}

/** `::ffff:192.0.2.7` takes the connections of 192.0.2.7. */
function addressesOf(host: string): string[] {
  const name = host.toLowerCase()
  return name === 'localhost' ? ['127.0.0.1', '::1'] : [name.replace(/^::ffff:(?=\d+\.)/, '')]
}

/** A socket on `::` takes connections over IPv4, too. */
function covers(address: string, other: string): boolean {
  if (address === other || isSameAddress(address, other) || isSameAddress(address, '::')) return true
  return address === '0.0.0.0' && isIPv4(other)
}
