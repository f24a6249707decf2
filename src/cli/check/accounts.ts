import type { Config } from '../../config/config.ts'
import { PortariaError } from '../../platform/errors.ts'
import { openStoreReader } from '../../store/open-store.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning } = reportOn('configuration')

/**
 * Whether payments of other people's accounts would be taken for the operator's own. Only once payments come: until then nothing is at risk, and
 * the accounts are a step of NEXT-STEPS.md.
 */
export async function checkAccounts({ mode, callbacks, storage }: Config): Promise<Finding[]> {
  const payment = callbacks.kinds.find(({ name }) => name === 'payment')
  if (payment === undefined || mode === 'development') return []
  if (payment.accounts.length > 0) return [good('accounts', 'payments about other accounts are quarantined')]
  if (!(await hasPayments(storage.file))) return []
  const found =
    'payments are accepted for every account: any customer of the institution may register your URL, with a valid certificate of the service'
  return [warning('accounts.any', 'accounts', found, NAME_YOUR_ACCOUNTS)]
}

const NAME_YOUR_ACCOUNTS =
  'name your accounts or keys in callbacks.kinds.payment.accounts.allow (config/portaria.yaml shows it), and restart'

/** The findings of the storage say why a database cannot be read. */
async function hasPayments(file: string): Promise<boolean> {
  try {
    const reader = await openStoreReader(file)
    try {
      return (await reader.listEvents({ kinds: ['payment'] }, 1)).events.length > 0
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (error instanceof PortariaError) return false
    throw error
  }
}
