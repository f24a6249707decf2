import { Command } from 'commander'
import { uniqueCertificates } from '../../certificates/files/bundle.ts'
import { nameOf, readCertificates } from '../../certificates/files/pem.ts'
import { type ChainFile, chainFilesOf } from '../../certificates/trust/chain-folder.ts'
import { diffChains } from '../../certificates/trust/trust-diff.ts'
import { institutionNamed } from '../../config/institutions.ts'
import { daysLeft } from '../../domain/expiry.ts'
import { type Environment, isInRealm, partsOf, type Realm, realmOf, trustKeyOf } from '../../domain/realm.ts'
import { messageOf } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { readConfig } from '../config-file.ts'
import { translated } from '../language/language.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { environmentOption, institutionOption, type ListOptions, withListing } from '../options.ts'
import { action } from '../output.ts'
import { type TrustInUse, trustInUse } from './trust-view.ts'

export function listCommand(): Command {
  return withListing(new Command('list'), 100)
    .description(
      'List the chains of the service, and which of the active ones the running gateway uses; staged and retired ones are not trusted',
    )
    .addOption(environmentOption())
    .addOption(institutionOption('default: every institution'))
    .action(action(list))
}

async function list(options: ListOptions & { environment?: Environment; institution?: string }): Promise<void> {
  const config = readConfig(options)
  // An unknown name is a mistake, and no empty list.
  if (options.institution !== undefined) institutionNamed(config, options.institution)
  const inUse = await trustInUse(config)
  const entries = config.callbacks.trust.filter(({ environment }) => isInRealm(options, environment))
  const chains = entries
    .flatMap(({ environment, chain }) =>
      chainFilesOf(chain).map((file) => {
        const { pem, ...content } = contentOf(file.file, trustKeyOf(environment))
        const use = file.state === 'active' ? useOf({ ...file, environment, pem }, inUse) : null
        return { ...partsOf(environment), ...file, inUse: use, ...content }
      }),
    )
    .slice(0, options.limit)
  await printList(chains, LISTING, options)
}

const LISTING: Listing<Chain> = {
  columns: [
    { name: 'environment', of: ({ institution, environment }) => realmOf(institution, environment) },
    ...(['name', 'state'] as const),
    { name: 'issues callers', of: issuersText, cut: 'left' },
    { name: 'in use', of: ({ inUse }) => inUse && translated(USE_WORDS[inUse]) },
    { name: 'first to expire', of: ({ expires }) => expires && expiryText(expires) },
    { name: 'file', cut: 'left', leftOut: 1 },
  ],
  none: 'no chains',
}

function issuersText({ problem, issuing, mayCall }: Chain): string {
  const wordsOf = (name: string) => (mayCall.includes(name) ? translated(say`${{ name }} (may call itself)`) : name)
  return problem ?? issuing.map(wordsOf).join(', ')
}

function expiryText(expires: string): string {
  const count = daysLeft(Date.parse(expires), Date.now())
  return translated(say`${{ day: expires.slice(0, 10) }} (${{ count }} days)`)
}

const USE_WORDS = { yes: 'yes', earlier: 'earlier content', no: 'no' } as const

type Chain = Omit<Content, 'pem'> & ChainFile & ReturnType<typeof partsOf> & { readonly inUse: Use }

/** Whether the running gateway uses an active chain, or an earlier content of its file; null: no gateway runs. */
type Use = keyof typeof USE_WORDS | null

function useOf(
  { file, environment, pem }: { readonly file: string; readonly environment: Realm; readonly pem: string | null },
  inUse: TrustInUse | null,
): Use {
  if (inUse === null) return null
  const used = inUse.used.find((one) => one.chain === file && one.environment === environment)
  if (used === undefined) return 'no'
  return used.pem === pem ? 'yes' : 'earlier'
}

interface Content {
  /** null: it cannot be used. */
  readonly pem: string | null
  readonly issuing: string[]
  /** Issuing certificates that may also be used as a peer certificate. */
  readonly mayCall: string[]
  readonly expires: string | null
  readonly problem: string | null
}

function contentOf(file: string, key: string): Content {
  try {
    const certificates = readCertificates(file, key)
    const issuing = diffChains([], certificates).filter(({ role }) => role === 'issuing')
    const first = Math.min(...certificates.map((certificate) => certificate.validToDate.getTime()))
    return {
      pem: uniqueCertificates(certificates).map(String).join(''),
      issuing: issuing.map(({ certificate }) => nameOf(certificate)),
      mayCall: issuing.filter(({ mayCall }) => mayCall).map(({ certificate }) => nameOf(certificate)),
      expires: new Date(first).toISOString(),
      problem: null,
    }
  } catch (error) {
    return { pem: null, issuing: [], mayCall: [], expires: null, problem: messageOf(error) }
  }
}
