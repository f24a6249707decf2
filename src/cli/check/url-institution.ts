import { type Config, routesOf } from '../../config/config.ts'
import { institutionNamed, institutionsOf } from '../../config/institutions.ts'
import { realmOf } from '../../domain/realm.ts'
import { say } from '../../platform/said.ts'
import { wrongUsage } from '../output.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning } = reportOn('outside')

/**
 * Whose URL `check --url` calls; null: the unnamed institution's. Without a name its path decides; of several that have it, it is the unnamed one's.
 * @throws PortariaError `request_invalid` for an unknown name, and where several may be meant
 */
export function institutionOfUrl(config: Config, url: URL, name: string | undefined): string | null {
  if (name !== undefined || config.institutions.length === 0) return institutionNamed(config, name)
  const having = institutionsOf(config).filter((one) => kindAt(config, url, one) !== null)
  const [only = null] = having
  if (having.length === 1 || having.includes(null)) return only
  if (having.length === 0) return institutionNamed(config, undefined)
  throw wrongUsage(
    say`${{ pathname: url.pathname }} is a path of ${{ names: having.join(' and ') }}: choose one with --institution`,
  )
}

/** Which kind of the institution the URL calls; nothing where none has a name. */
export function institutionFindings(config: Config, url: URL, institution: string | null): Finding[] {
  if (config.institutions.length === 0) return []
  const [what, kind] = ['institution', kindAt(config, url, institution)]
  const name = institution ?? 'the unnamed one'
  if (kind !== null) return [good(what, `${name}; the path is that of its kind ${kind}`)]
  const own = config.callbacks.kinds.filter((one) => one.institution === institution).map(({ path }) => path)
  const found = `${name}; none of its kinds has the path ${url.pathname}`
  return [
    warning(
      'outside.path',
      what,
      found,
      `name another institution with --institution, or call one of ${own.join(', ')}`,
    ),
  ]
}

function kindAt(config: Config, url: URL, institution: string | null): string | null {
  return routesOf(config)(realmOf(institution, 'production'), url.pathname)
}
