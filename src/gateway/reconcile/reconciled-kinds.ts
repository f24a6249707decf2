import type { Config } from '../../config/config.ts'
import type { ReconciledKinds } from '../../domain/reconcile/reconciled-kinds.ts'

/** What the service is asked about, for each environment that the section `service` has. */
export function reconciledKindsOf({ service }: Pick<Config, 'service'>): ReconciledKinds[] {
  return service.map(({ environment, reconcile: { payments, openings, charges } }) => ({
    environment,
    payments,
    openings,
    charges,
  }))
}
