import { Command, Option } from 'commander'
import {
  createAuthority,
  FILES,
  openAuthority,
  type PrivateAuthority,
  readAuthority,
} from '../../certificates/authority/authority.ts'
import { endOfList, fileOfList, writeRevocationList } from '../../certificates/authority/list.ts'
import { recordsOf, stateOf } from '../../certificates/authority/records.ts'
import { renewedIn } from '../../certificates/authority/renewing.ts'
import { KEY_TYPES, type KeyType } from '../../certificates/files/signing-request.ts'
import { daysInWords } from '../../certificates/live/certificate-format.ts'
import { describeCertificate } from '../../certificates/live/describe-certificate.ts'
import { COMMAND } from '../../platform/installation.ts'
import { translated } from '../language/language.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { group, type ListOptions, wholeNumber, withConfig, withListing } from '../options.ts'
import { action, printable, printResult, sectionOf } from '../output.ts'
import {
  type AuthorityOption,
  authorityFolderOf,
  type IssuedView,
  issuedView,
  withAuthority,
  withFolder,
} from './authority-place.ts'

/** Ten years: everything that trusts it must be given the next one. */
const AUTHORITY_DAYS = 3652

export function authorityCommand(): Command {
  return group('authority', [createCommand(), showCommand(), listCommand(), crlCommand()]).description(
    'A private certificate authority, for certificates of TLS clients',
  )
}

interface CreateOptions extends AuthorityOption {
  readonly out?: string
  readonly name: string
  readonly days: number
  readonly keyType: KeyType
}

function createCommand(): Command {
  return withConfig(new Command('create'))
    .description('Create a private authority: its key, its certificate and an empty revocation list')
    .option('--out <dir>', 'folder for it; must not exist or be empty (default: certificates.authority)')
    .option('--name <name>', 'its name, which others see', 'Portaria private authority')
    .option('--days <n>', 'how long it is valid', wholeNumber, AUTHORITY_DAYS)
    .addOption(new Option('--key-type <type>', 'type of its key').choices(KEY_TYPES).default('p256'))
    .option('--json', 'print one JSON object')
    .action(action(create))
}

async function create({ out, name, days, keyType, ...options }: CreateOptions): Promise<void> {
  const folder = out ?? (await authorityFolderOf(options))
  const now = new Date()
  const authority = await createAuthority({ folder, name, days, keyType, now })
  await writeRevocationList(await openAuthority(folder, now), now)
  await printResult(
    options,
    await viewOf(authority, now),
    `created the private authority ${folder}
  ${FILES.key}   its private key: it stays in this folder; keep a copy of the folder where you keep secrets
  ${FILES.certificate}   its certificate: give it to the systems that shall trust what it issues
  ${FILES.list}  its revocation list

Next: ${COMMAND} certs issue NAME --for forwarding --authority ${printable(folder)}
`,
  )
}

function showCommand(): Command {
  return withAuthority(new Command('show'))
    .description('Describe the private authority')
    .option('--json', 'print one JSON object')
    .action(
      action(async (options: AuthorityOption) => {
        const view = await viewOf(readAuthority(await authorityFolderOf(options)), new Date())
        await printResult(options, view, sectionOf('authority', { ...view, expires: translated(view.expires) }))
      }),
    )
}

async function viewOf(authority: PrivateAuthority, now: Date) {
  const { subjectName, notBefore, notAfter, daysLeft, keyType, fingerprint256 } = describeCertificate(
    authority.certificate,
    now,
  )
  const records = recordsOf(authority)
  const states = records.map((record) => issuedView(record, records, now.getTime()).state)
  const end = await endOfList(authority)
  return {
    folder: authority.folder,
    subject: subjectName,
    keyType,
    fingerprint: fingerprint256,
    notBefore: notBefore.toISOString(),
    notAfter: notAfter.toISOString(),
    expires: daysInWords(daysLeft),
    issued: records.length,
    valid: states.filter((state) => state === 'valid').length,
    revoked: states.filter((state) => state === 'revoked').length,
    revocationList: fileOfList(authority),
    listEnds: end === null ? null : new Date(end).toISOString(),
  }
}

function listCommand(): Command {
  return withFolder(withListing(new Command('list'), 100))
    .description('List the certificates that the private authority issued, the first to expire first')
    .option('--all', 'also those that are replaced, expired or revoked')
    .action(action(list))
}

async function list({ all = false, ...options }: ListOptions & AuthorityOption & { readonly all?: boolean }) {
  const authority = readAuthority(await authorityFolderOf(options))
  const records = recordsOf(authority)
  const now = Date.now()
  const chosen = records.filter((record) => all || stateOf(record, records, now) === 'valid').slice(0, options.limit)
  const views = chosen.map((record) => ({
    ...issuedView(record, records, now),
    renewedIn: renewedIn(authority, record),
  }))
  await printList(views, LISTING, options)
}

const LISTING: Listing<IssuedView & { readonly renewedIn: string | null }> = {
  columns: [
    { name: 'name', cut: 'right' },
    ...(['for', 'state'] as const),
    { name: 'expires', of: ({ notAfter }) => notAfter.slice(0, 10) },
    { name: 'serial number', of: 'serial' },
    { name: 'client', leftOut: 1 },
    { name: 'renews', of: 'renewedIn', cut: 'left', leftOut: 2 },
  ],
  none: `no certificates; issue one with: ${COMMAND} certs issue NAME --for app`,
}

function crlCommand(): Command {
  return withAuthority(new Command('crl'))
    .description('Write the revocation list of the private authority again, before it ends')
    .option('--json', 'print one JSON object')
    .action(
      action(async (options: AuthorityOption) => {
        const now = new Date()
        const written = await writeRevocationList(await openAuthority(await authorityFolderOf(options), now), now)
        const nextUpdate = new Date(written.nextUpdate).toISOString()
        const text = `wrote ${written.file}: ${written.revoked} revoked, valid until ${nextUpdate}\n`
        await printResult(options, { ...written, nextUpdate }, text)
      }),
    )
}
