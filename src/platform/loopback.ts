import { isIPv4 } from 'node:net'

/** Whether only this machine can reach a listener on this address. */
export function isLoopback(host: string): boolean {
  return host === '::1' || host.toLowerCase() === 'localhost' || (isIPv4(host) && host.startsWith('127.'))
}
