import { isIPv4 } from 'node:net'

/** What to know before other machines reach the simulator; null: only this one does. The control API stays on loopback. */
export function hostWarning(host: string | undefined): string | null {
  if (host === undefined || isLoopback(host)) return null
  return (
    `warning: --host ${host} lets other machines reach the simulator. Its pages ask for no credentials, ` +
    'and its secrets are for tests only: use it in a closed test network, or leave --host out'
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
