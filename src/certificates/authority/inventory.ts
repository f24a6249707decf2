import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { type InventoryEntry, type ShortForm, shortFormOf } from '../../domain/expiry.ts'
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
    const { use, name, notAfter } = record
    if (record.revocation !== null || Date.parse(notAfter) + EXPIRED_SHOWN_MS < now) return []
    return {
      set: 'issued',
      where: `${use} ${name}`,
      environment: null,
      ...shortFormOfRecord(record),
      isReplaced: isReplaced(record, records),
    }
  })
}

/** By serial number: OpenSSL takes long to read thousands of certificates. */
const shortForms = new Map<string, { readonly certificate: string; readonly form: ShortForm }>()
const KNOWN_FORMS = 20_000

function shortFormOfRecord({ serial, certificate }: CertificateRecord): ShortForm {
  const before = shortForms.get(serial)
  if (before?.certificate === certificate) return before.form
  const form = shortFormOf(new X509Certificate(certificate))
  if (shortForms.size >= KNOWN_FORMS) shortForms.clear()
  shortForms.set(serial, { certificate, form })
  return form
}
