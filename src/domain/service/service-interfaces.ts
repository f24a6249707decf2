/** The interfaces of the service with a base address each (service-decisions.md, Interfaces and base addresses). */
export const SERVICE_INTERFACES = ['account', 'payment', 'registration', 'openBanking', 'charges'] as const
export type ServiceInterface = (typeof SERVICE_INTERFACES)[number]

/** Whether an interface asks for a client certificate. */
export function asksForCertificate(name: ServiceInterface): boolean {
  return name !== 'charges'
}
