import { isIPv4, isIPv6 } from 'node:net'
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

function addressesOf(host: string): string[] {
  const name = host.toLowerCase()
  if (name === 'localhost') return ['127.0.0.1', '::1']
  return [isIPv6(name) ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name]
}

/** A socket on `::` takes connections over IPv4, too. */
function covers(address: string, other: string): boolean {
  return address === other || address === '::' || (address === '0.0.0.0' && isIPv4(other))
}
