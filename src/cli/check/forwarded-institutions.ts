import { TRAITS_LIMIT } from '../../api/http/filter-hint.ts'
import type { Config } from '../../config/config.ts'
import { institutionsOf } from '../../config/institutions.ts'
import { type Destination, isKindWanted, isRealmWanted } from '../../domain/destination.ts'
import { ENVIRONMENTS, institutionOf, realmOf } from '../../domain/realm.ts'
import { readIfPossible } from '../reader.ts'
import { type Finding, reportOn } from './finding.ts'
import { hasPollersIn } from './pollers.ts'

const { good, note, warning } = reportOn('destinations')

type Subscription = Pick<Destination, 'name' | 'origin' | 'kinds' | 'environments' | 'institutions'>

/** Institutions whose events no destination gets, and destinations that name only institutions whose events they cannot get. */
export async function institutionFindings(config: Config, all: readonly Subscription[]): Promise<Finding[]> {
  if (config.institutions.length === 0) return []
  // A destination of this origin gets the events of its routes alone.
  const destinations = all.filter(({ origin }) => origin !== 'route')
  const institutions = institutionsOf(config)
  const gets = (destination: Subscription) => institutions.some((one) => mayGet(destination, one, config))
  const without = institutions.filter((one) => !destinations.some((destination) => mayGet(destination, one, config)))
  return [
    ...destinations.filter((one) => isLimited(one) && !gets(one)).map(uselessFinding),
    ...(without.length === 0 ? [] : await missingFindings(config, without)),
  ]
}

function mayGet(destination: Subscription, institution: string | null, { callbacks }: Config): boolean {
  const { kinds } = destination
  const isInstitutionWanted = ENVIRONMENTS.some((environment) =>
    isRealmWanted(destination, realmOf(institution, environment)),
  )
  if (!isInstitutionWanted) return false
  return callbacks.kinds.some((kind) => kind.institution === institution && isKindWanted(kinds, kind.name))
}

function isLimited({ origin, institutions }: Subscription): boolean {
  return institutions !== null || origin === 'registration'
}

function uselessFinding({ name, kinds, institutions }: Subscription): Finding {
  const which = kinds === null ? 'kind' : `kind ${kinds.join(' or ')}`
  const found = `it gets no events: the configuration has no ${which} of ${institutions?.join(' or ') ?? 'the unnamed institution'}`
  return warning('destination.institution', name, found, 'correct its institutions or kinds')
}

async function missingFindings(config: Config, institutions: readonly (string | null)[]): Promise<Finding[]> {
  const [hasPollers, traits] = await readIfPossible(config, [false, []], async (reader) => [
    await hasPollersIn(reader),
    await reader.listEventTraits(0, TRAITS_LIMIT),
  ])
  return institutions.map((institution) => {
    const what = institution ?? 'the unnamed institution'
    const found = 'no destination gets its events'
    if (hasPollers) return good(what, `${found}, but consumers or clients with events.read may poll them`)
    const kinds = config.callbacks.kinds.filter((kind) => kind.institution === institution)
    const hasFacts = traits.some(
      ({ environment, kind }) => institutionOf(environment) === institution && kinds.some(({ name }) => name === kind),
    )
    const words = `${found}, and there is no consumer and no client that could poll`
    return (hasFacts ? warning : note)('forwarding.none', what, words, 'add a destination, or change the filter of one')
  })
}
