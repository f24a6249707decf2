import { Command } from 'commander'
import { nameOf, readCertificates } from '../../certificates/files/pem.ts'
import { type ChainFile, chainFilesOf } from '../../certificates/trust/chain-folder.ts'
import { diffChains } from '../../certificates/trust/trust-diff.ts'
import { institutionNamed } from '../../config/institutions.ts'
import { daysLeft } from '../../domain/expiry.ts'
import { type Environment, isInRealm, partsOf, realmOf, trustKeyOf } from '../../domain/realm.ts'
import { messageOf } from '../../platform/errors.ts'
import { translated } from '../language/language.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { environmentOption, institutionOption, type ListOptions, readConfig, withListing } from '../options.ts'
import { action } from '../output.ts'

export function listCommand(): Command {
  return withListing(new Command('list'), 100)
    .description('List the chains of the service: active ones are trusted, staged and retired ones are not')
    .addOption(environmentOption())
    .addOption(institutionOption('default: every institution'))
    .action(action(list))
}

async function list(options: ListOptions & { environment?: Environment; institution?: string }): Promise<void> {
  const config = readConfig(options)
  // An unknown name is a mistake, and no empty list.
  if (options.institution !== undefined) institutionNamed(config, options.institution)
  const entries = config.callbacks.trust.filter(({ environment }) => isInRealm(options, environment))
  const chains = entries
    .flatMap(({ environment, chain }) =>
      chainFilesOf(chain).map((file) => ({
        ...partsOf(environment),
        ...file,
        ...contentOf(file.file, trustKeyOf(environment)),
      })),
    )
    .slice(0, options.limit)
  await printList(chains, LISTING, options)
}

const LISTING: Listing<Chain> = {
  header: [
    ...['environment', 'name', 'state'],
    { name: 'issues callers', cut: 'left' },
    'first to expire',
    { name: 'file', cut: 'left', leftOut: 1 },
  ],
  rowOf: ({ institution, environment, name, state, issuing, mayCall, expires, problem, file }) => [
    realmOf(institution, environment),
    name,
    state,
    problem ??
      issuing.map((name) => (mayCall.includes(name) ? translated(`${name} (may call itself)`) : name)).join(', '),
    expires === null ? null : translated(`${expires.slice(0, 10)} (${daysLeft(Date.parse(expires), Date.now())} days)`),
    file,
  ],
  none: 'no chains',
}

type Chain = Content & ChainFile & ReturnType<typeof partsOf>

interface Content {
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
      issuing: issuing.map(({ certificate }) => nameOf(certificate)),
      mayCall: issuing.filter(({ mayCall }) => mayCall).map(({ certificate }) => nameOf(certificate)),
      expires: new Date(first).toISOString(),
      problem: null,
    }
  } catch (error) {
    return { issuing: [], mayCall: [], expires: null, problem: messageOf(error) }
  }
}
