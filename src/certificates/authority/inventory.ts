import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { type InventoryEntry, shortFormOf } from '../../domain/expiry.ts'
import { messageOf } from '../../platform/errors.ts'
import { inventoryOfFile, inventoryOfLists } from '../live/certificate-inventory.ts'
import { FILES, readAuthority } from './authority.ts'
import { fileOfList } from './list.ts'
import { type CertificateRecord, isReplaced, recordsOf } from './records.ts'

const DAY_MS = 86_400_000
/** An expired certificate that was not replaced is shown for this time. */
const EXPIRED_SHOWN_MS = 30 * DAY_MS

/** The certificate of a private authority, its revocation list, and what it issued and did not revoke. */
export function inventoryOfAuthority(folder: string, now: number): InventoryEntry[] {
  const place = { set: 'authority', environment: null } as const
  try {
    const authority = readAuthority(folder)
    return [
      ...inventoryOfFile(join(folder, FILES.certificate), place, 'certificates.authority'),
      ...inventoryOfLists([fileOfList(authority)], null),
      ...issuedIn(recordsOf(authority), now),
    ]
  } catch (error) {
    return [{ ...place, where: folder, problem: messageOf(error) }]
  }
}

function issuedIn(records: readonly CertificateRecord[], now: number): InventoryEntry[] {
  return records.flatMap((record) => {
    const { use, name, notBefore, notAfter } = record
    if (record.revocation !== null || Date.parse(notAfter) + EXPIRED_SHOWN_MS < now) return []
    const days = (Date.parse(notAfter) - Date.parse(notBefore)) / DAY_MS
    return {
      set: 'issued',
      where: `${use} ${name}`,
      environment: null,
      ...shortFormOf(new X509Certificate(record.certificate)),
      // A certificate of a week always expires soon.
      warnDays: Math.floor(days / 3),
      isReplaced: isReplaced(record, records),
    }
  })
}
