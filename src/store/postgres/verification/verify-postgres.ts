import type { PostgresAddress } from '../../../platform/postgres/postgres-address.ts'
import type { AuditVerification, WrittenPoint } from '../../verification/audit-verification.ts'
import type { Verification, VerifyStep } from '../../verification/verification.ts'
import { applicationName } from '../database/application-name.ts'
import { createReaders } from '../database/readers.ts'
import { readPostgres } from '../postgres-reader.ts'
import { verifyDatabase } from './verify.ts'
import { verifyAuditChain } from './verify-chain.ts'

/** A rule of a large database may read every row. */
const READ_MS = 6 * 3_600_000

export interface PostgresVerification {
  readonly verification: Verification
  /** null: it was not asked for. */
  readonly chain: AuditVerification | null
}

/**
 * @param expected points of the audit chain from earlier verifications; null: the chain is not verified
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`
 */
export async function verifyPostgres(
  address: PostgresAddress,
  expected: readonly WrittenPoint[] | null,
  show: (step: VerifyStep) => void,
): Promise<PostgresVerification> {
  // It checks the schema.
  await (await readPostgres(address)).close()
  const readers = createReaders(address, applicationName(undefined, 'command'), READ_MS)
  try {
    const verification = await verifyDatabase(readers, show)
    return { verification, chain: expected === null ? null : await verifyAuditChain(readers, expected, show) }
  } finally {
    await readers.end()
  }
}
