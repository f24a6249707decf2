import { Command, Option } from 'commander'
import { openAuthority, type PrivateAuthority } from '../../certificates/authority/authority.ts'
import { writeRevocationList } from '../../certificates/authority/list.ts'
import {
  addRevocation,
  type CertificateRecord,
  REVOCATION_REASONS,
  type RevocationReason,
  recordsOf,
} from '../../certificates/authority/records.ts'
import { canonicalSerial } from '../../domain/trust.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { action, printable, printResult } from '../output.ts'
import { type AuthorityOption, authorityFolderOf, issuedView, withAuthority } from './authority-place.ts'

interface RevokeOptions extends AuthorityOption {
  readonly because: RevocationReason
}

export function revokeCommand(): Command {
  return withAuthority(new Command('revoke'))
    .description('Revoke certificates of the private authority for good, and write its revocation list')
    .argument('<name>', 'serial number, or a name for every certificate of this name')
    .addOption(
      new Option(
        '--because <reason>',
        'ended: no system needs it any more; superseded: there is another; key-compromise: others may know its key',
      )
        .choices(Object.keys(REVOCATION_REASONS))
        .default('ended'),
    )
    .option('--json', 'print one JSON object')
    .action(action(revoke))
}

async function revoke(named: string, options: RevokeOptions): Promise<void> {
  const now = new Date()
  const authority = await openAuthority(await authorityFolderOf(options), now)
  const chosen = chosenFrom(authority, named, now)
  for (const { serial } of chosen)
    addRevocation(authority, { serial, revokedAt: now.toISOString(), reason: options.because })
  const serials = chosen.map(({ serial }) => serial)
  const list = await writeRevocationList(authority, now).catch((error: unknown) => {
    throw new PortariaError(
      'request_invalid',
      say`${{ names: serials.join(', ') }}: the revocation is recorded, but not in the revocation list (${{ error: messageOf(error) }}): correct that, then "${{ command: COMMAND }} certs authority crl"`,
      { cause: error },
    )
  })
  const records = recordsOf(authority)
  const revoked = records.filter(({ serial }) => serials.includes(serial))
  const text = revoked.map(
    ({ name, use, serial, notAfter }) =>
      `revoked ${printable(name)} (${use}), serial number ${serial}, valid until ${notAfter.slice(0, 10)}\n`,
  )
  await printResult(
    options,
    { revoked: revoked.map((record) => issuedView(record, records, now.getTime())), revocationList: list.file },
    `${text.join('')}wrote ${printable(list.file)}: give it to every system that checks these certificates\n`,
  )
}

/** @throws PortariaError `not_found`; `conflict` for certificates that are revoked, and for a name of several uses */
function chosenFrom(authority: PrivateAuthority, named: string, now: Date): CertificateRecord[] {
  const records = recordsOf(authority)
  const isHex = /^[0-9a-f: ]+$/i.test(named)
  const serial = isHex ? canonicalSerial(named.replaceAll(/[: ]/g, '')) : null
  const found = records.filter((one) => one.name === named || canonicalSerial(one.serial) === serial)
  if (found.length === 0)
    throw new PortariaError(
      'not_found',
      `the authority issued no certificate with the name or serial number "${named}": "${COMMAND} certs authority list --all" shows them`,
    )
  const open = found.filter(({ revocation }) => revocation === null)
  if (open.length === 0) throw new PortariaError('conflict', say`${{ name: named }} is revoked already`)
  const valid = open.filter(({ notAfter }) => Date.parse(notAfter) > now.getTime())
  if (valid.length === 0)
    throw new PortariaError('conflict', say`${{ name: named }} has expired: there is nothing to revoke`)
  if (new Set(valid.map(({ use }) => use)).size > 1)
    throw new PortariaError(
      'conflict',
      `certificates for several uses have the name ${named}: revoke each by its serial number (${valid.map((one) => `${one.serial} for ${one.use}`).join(', ')})`,
    )
  return valid
}
