import type { ServiceInterface } from '../domain/service/service-interfaces.ts'
import { suggestion } from '../platform/suggestion.ts'
import type { ReconciledKinds } from './config.ts'
import { at, type ReportProblem } from './section-checks.ts'

interface Use {
  /** Where the service is asked. */
  readonly on: ServiceInterface
  /** The kind, if there is one of this name, where the key is left out. */
  readonly preset: string | null
}

/** The keys of `reconcile` that name a kind. */
const USES: Readonly<Record<keyof ReconciledKinds, Use>> = {
  payments: { on: 'payment', preset: 'payment' },
  openings: { on: 'registration', preset: 'registration' },
  charges: { on: 'charges', preset: 'charge' },
  statement: { on: 'account', preset: null },
}
const KEYS = Object.keys(USES) as (keyof ReconciledKinds)[]

/** The kinds that an entry of `service` names, and those of the usual names where nothing else uses them. @param known kinds of its institution */
export function kindsOf(service: unknown, known: readonly string[]): ReconciledKinds {
  const written = KEYS.map((key) => at(service, 'reconcile', key))
  const kindOf = (key: keyof ReconciledKinds): string | null => {
    const { on, preset } = USES[key]
    const named = at(service, 'reconcile', key)
    if (typeof named === 'string') return named
    const isUsable = preset !== null && known.includes(preset) && at(service, 'baseAddresses', on) !== undefined
    return isUsable && !written.includes(preset) ? preset : null
  }
  return {
    payments: kindOf('payments'),
    openings: kindOf('openings'),
    charges: kindOf('charges'),
    statement: kindOf('statement'),
  }
}

/** @param where whose kinds are `known`, for texts */
export function checkReconcile(service: unknown, known: readonly string[], where: string, report: ReportProblem): void {
  const seen = new Set<unknown>()
  for (const key of KEYS) {
    const named = at(service, 'reconcile', key)
    if (typeof named !== 'string' || named === '') continue
    const problem = problemOf(service, { key, named, known, where }) ?? (seen.has(named) ? TWICE : null)
    if (problem !== null) report(['reconcile', key], problem)
    seen.add(named)
  }
  if (at(service, 'reconcile', 'readCredentials') === true && kindsOf(service, known).openings === null)
    report(
      ['reconcile', 'readCredentials'],
      'is for openings: name their kind in reconcile.openings, and set baseAddresses.registration',
    )
}

const TWICE = 'is the kind of another key above: each kind has one meaning'

interface Named {
  readonly key: keyof ReconciledKinds
  readonly named: string
  readonly known: readonly string[]
  readonly where: string
}

function problemOf(service: unknown, { key, named, known, where }: Named): string | null {
  const { on } = USES[key]
  if (known.length > 0 && !known.includes(named)) return `is not a kind of ${where}${suggestion(named, known)}`
  const hasAddress = at(service, 'baseAddresses', on) !== undefined
  return hasAddress || at(service, 'baseAddresses') === undefined
    ? null
    : `needs baseAddresses.${on}, where it is asked for`
}
