import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

export const ADDRESSES_ADVICE =
  'allow AF_NETLINK in RestrictAddressFamilies= of the unit (systemctl edit portaria.service), and restart'

/**
 * The addresses of this machine; null: the system does not name them. It needs a socket of the family AF_NETLINK, which a unit of systemd can forbid
 * (`RestrictAddressFamilies=`), and a free descriptor.
 */
export function machineAddresses(list = networkInterfaces): readonly NetworkInterfaceInfo[] | null {
  try {
    return Object.values(list()).flatMap((addresses) => addresses ?? [])
  } catch {
    return null
  }
}
