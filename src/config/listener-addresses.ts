import { isIPv4 } from 'node:net'
import { isSameAddress } from '../domain/address-rules.ts'
import { at, type ReportProblem } from './section-checks.ts'

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
