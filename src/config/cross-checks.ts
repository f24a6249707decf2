import { type AddressRules, checkDestinationUrl, compileAddressRules } from '../domain/address-rules.ts'
import { KINDS_BY_NAME_ONLY } from '../domain/event.ts'
import { compileRoutes, hasVariable, type RoutedKind } from '../domain/routes.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { suggestion } from '../platform/suggestion.ts'
import { durationText } from '../platform/units.ts'
import { checkAlarmAddresses } from './alarms-schema.ts'
import { KINDS_MISSING, TRUST_MISSING } from './institution-schema.ts'
import { checkListenerAddresses } from './listener-schema.ts'
import { PRESETS, readPreset } from './presets.ts'
import { at, type ReportProblem } from './section-checks.ts'
import { checkReconcile } from './service-schema.ts'

/** Checks that involve several sections. */
export function checkTogether(config: unknown, report: ReportProblem): void {
  checkListenerAddresses(config, report)
  checkUnnamed(config, report)
  checkInstitutionNames(config, report)
  checkInstitutionTrust(config, report)
  checkInstitutionsNamed(config, report)
  checkRoutes(config, report)
  checkChargeKind(config, report)
  checkTokens(config, report)
  checkTokenKinds(config, report)
  checkQueue(config, report)
  checkRetention(config, report)
  checkDestinationNames(config, report)
  checkDestinationKinds(config, report)
  checkDestinationUrls(config, report)
  checkServiceEnvironments(config, report)
  checkReconciledKinds(config, report)
  checkAlarmAddresses(config, report)
}

/** What belongs to one institution: the keys of the unnamed one are in `callbacks` and at the top. */
interface Owner {
  readonly name: string | null
  /** Where its kinds are. */
  readonly path: readonly (string | number)[]
  readonly suffixes: readonly string[]
  readonly kinds: Readonly<Record<string, unknown>>
  readonly services: readonly unknown[]
  readonly servicePath: readonly (string | number)[]
}

function ownersOf(config: unknown): Owner[] {
  const ownerOf = (name: string | null, path: Owner['path'], section: unknown, services: unknown) => ({
    name,
    path: [...path, 'kinds'],
    suffixes: listAt(section, 'suffixes').filter((suffix) => typeof suffix === 'string'),
    kinds: Object(at(section, 'kinds')) as Record<string, unknown>,
    services: Array.isArray(services) ? services : [],
    servicePath: name === null ? ['service'] : [...path, 'service'],
  })
  return [
    ownerOf(null, ['callbacks'], at(config, 'callbacks'), at(config, 'service')),
    ...listAt(config, 'institutions').map((section, index) =>
      ownerOf(String(at(section, 'name')), ['institutions', index], section, at(section, 'service')),
    ),
  ]
}

/** Without an institution of its own name, `callbacks` must have chains and kinds. */
function checkUnnamed(config: unknown, report: ReportProblem): void {
  const [trust, kinds] = [at(config, 'callbacks', 'trust'), at(config, 'callbacks', 'kinds')]
  const isNamed = trust === undefined && kinds === undefined && listAt(config, 'institutions').length > 0
  if (isNamed || typeof at(config, 'callbacks') !== 'object') return
  if (trust === undefined) report(['callbacks', 'trust'], TRUST_MISSING)
  if (kinds === undefined) report(['callbacks', 'kinds'], KINDS_MISSING)
}

function checkInstitutionNames(config: unknown, report: ReportProblem): void {
  const seen = new Set<unknown>()
  for (const [index, institution] of listAt(config, 'institutions').entries()) {
    const name = at(institution, 'name')
    if (name !== undefined && seen.has(name))
      report(['institutions', index, 'name'], 'is the name of an institution above: write one entry for each')
    seen.add(name)
  }
}

function checkInstitutionTrust(config: unknown, report: ReportProblem): void {
  for (const [index, institution] of listAt(config, 'institutions').entries()) {
    if (typeof institution !== 'object' || at(institution, 'trust') !== undefined) continue
    const preset = PRESETS.find((one) => one === at(institution, 'preset'))
    const source = preset === undefined ? '' : `; ${readPreset(preset).about.chain}`
    report(['institutions', index, 'trust'], `${TRUST_MISSING}${source}`)
  }
}

function checkInstitutionsNamed(config: unknown, report: ReportProblem): void {
  const known = ownersOf(config).flatMap(({ name }) => name ?? [])
  const check = (name: unknown, path: readonly (string | number)[]) => {
    if (typeof name === 'string' && name !== '' && !known.includes(name))
      report(path, `is not an institution of institutions${suggestion(name, known)}`)
  }
  for (const key of ['tokens', 'pathTokens'])
    for (const [index, entry] of listAt(config, 'chargeNotifications', key).entries())
      check(at(entry, 'institution'), ['chargeNotifications', key, index, 'institution'])
  for (const [index, destination] of listAt(config, 'destinations').entries())
    for (const [place, name] of listAt(destination, 'institutions').entries())
      check(name, ['destinations', index, 'institutions', place])
}

function checkRoutes(config: unknown, report: ReportProblem): void {
  for (const { path, suffixes, kinds: written } of ownersOf(config)) {
    const kinds: RoutedKind[] = Object.entries(written)
      .map(([name, kind]) => ({ name, path: at(kind, 'path') }))
      .filter((kind): kind is RoutedKind => typeof kind.path === 'string' && kind.path.startsWith('/'))
    for (const [index, kind] of kinds.entries()) {
      for (const other of kinds.slice(0, index)) {
        const conflict = problemOf(() => compileRoutes([other, kind], suffixes))
        if (conflict !== null) report([...path, kind.name, 'path'], `${conflict}: give each its own path`)
      }
    }
  }
}

function checkChargeKind(config: unknown, report: ReportProblem): void {
  const owners = ownersOf(config)
  for (const entry of listAt(config, 'chargeNotifications', 'tokens')) {
    const owner = ownerOf(owners, entry)
    if (owner === undefined || at(config, 'callbacks') === undefined || Object.hasOwn(owner.kinds, 'charge')) continue
    report(
      ['chargeNotifications'],
      `needs the kind "charge": add \`charge: { path: /callbacks/charge }\` to ${owner.name === null ? 'callbacks.kinds' : `the kinds of the institution ${owner.name}`}`,
    )
    return
  }
}

/** Whose an entry with the key `institution` is. */
function ownerOf(owners: readonly Owner[], entry: unknown): Owner | undefined {
  const name = at(entry, 'institution') ?? null
  return owners.find((owner) => owner.name === name)
}

/** Names of kinds of any institution. */
function knownKinds(config: unknown): string[] {
  return [...new Set(ownersOf(config).flatMap(({ kinds }) => Object.keys(kinds)))]
}

/** A token determines environment and kind, so no token may occur twice. */
function checkTokens(config: unknown, report: ReportProblem): void {
  const seen = new Set<unknown>()
  for (const key of ['tokens', 'pathTokens']) {
    for (const [index, entry] of listAt(config, 'chargeNotifications', key).entries()) {
      const token = at(entry, 'tokenFile')
      if (token === undefined) continue
      const path = ['chargeNotifications', key, index, 'tokenFile']
      if (seen.has(token))
        report(path, 'holds the same token as an entry above: make another with `openssl rand -hex 32`')
      seen.add(token)
    }
  }
}

function checkTokenKinds(config: unknown, report: ReportProblem): void {
  const owners = ownersOf(config)
  for (const [index, entry] of listAt(config, 'chargeNotifications', 'pathTokens').entries()) {
    const [kind, owner] = [at(entry, 'kind'), ownerOf(owners, entry)]
    if (typeof kind !== 'string' || kind === '' || owner === undefined) continue
    const path = ['chargeNotifications', 'pathTokens', index, 'kind']
    const where = owner.name === null ? 'callbacks.kinds' : `the institution ${owner.name}`
    if (!Object.hasOwn(owner.kinds, kind))
      report(path, `is not a kind of ${where}${suggestion(kind, Object.keys(owner.kinds))}`)
    else if (hasVariable(String(at(owner.kinds[kind], 'path'))))
      report(path, 'has a path with a variable segment, behind which no token can be: it needs mutual TLS')
  }
}

function checkRetention(config: unknown, report: ReportProblem): void {
  const retention = at(config, 'storage', 'retention')
  const kinds = Object.entries(Object(at(retention, 'kinds')))
  const windows = [retention, ...kinds.map(([, window]) => ({ ...Object(retention), ...Object(window) }))]
  for (const [index, window] of windows.entries()) {
    const [payload, metadata] = [at(window, 'payload'), at(window, 'metadata')]
    const path = ['storage', 'retention', ...(index === 0 ? [] : ['kinds', kinds[index - 1]?.[0] ?? '']), 'metadata']
    if (typeof payload === 'number' && typeof metadata === 'number' && payload > metadata)
      report(path, 'must not be shorter than payload: the data of an event cannot outlive the event')
  }
  checkRetentionKinds(
    config,
    kinds.map(([kind]) => kind),
    report,
  )
  checkDeduplication(config, windows, report)
}

/** All events of a callback are removed together, by the window of its kind. */
function checkRetentionKinds(config: unknown, kinds: readonly string[], report: ReportProblem): void {
  const known = [...knownKinds(config), 'operator']
  for (const kind of kinds) {
    if (known.includes(kind)) continue
    const words =
      kind === 'probe'
        ? 'cannot have its own window: probes are kept with the kind of their path'
        : `names no kind${suggestion(kind, known)}: known are ${known.join(', ')}`
    report(['storage', 'retention', 'kinds', kind], words)
  }
}

/** A repetition of a removed callback cannot be recognized. */
function checkDeduplication(config: unknown, windows: readonly unknown[], report: ReportProblem): void {
  const wanted = at(config, 'storage', 'deduplicationWindow')
  const lengths = windows.flatMap((window) => [at(window, 'payload'), at(window, 'metadata')])
  const shortest = Math.min(...lengths.filter((length) => typeof length === 'number'))
  if (typeof wanted === 'number' && wanted > shortest)
    report(
      ['storage', 'deduplicationWindow'],
      `must not be longer than the shortest window of storage.retention, ${durationText(shortest)}: a repetition of a removed callback cannot be recognized`,
    )
}

/** A callback larger than the whole queue could never be stored. */
function checkQueue(config: unknown, report: ReportProblem): void {
  const bytes = at(config, 'storage', 'queue', 'bytes')
  const body = at(config, 'callbacks', 'limits', 'body')
  if (typeof bytes === 'number' && typeof body === 'number' && bytes < body)
    report(['storage', 'queue', 'bytes'], 'must not be less than callbacks.limits.body')
}

function checkDestinationNames(config: unknown, report: ReportProblem): void {
  const seen = new Set<unknown>()
  for (const [index, destination] of listAt(config, 'destinations').entries()) {
    const name = at(destination, 'name')
    if (typeof name !== 'string') continue
    if (seen.has(name))
      report(['destinations', index, 'name'], 'is the name of a destination above: choose another name')
    seen.add(name)
  }
}

function checkDestinationKinds(config: unknown, report: ReportProblem): void {
  const configured = knownKinds(config)
  if (configured.length === 0) return
  const known = [...configured, ...KINDS_BY_NAME_ONLY]
  const where = listAt(config, 'institutions').length === 0 ? 'callbacks.kinds' : 'callbacks.kinds or institutions'
  for (const [index, destination] of listAt(config, 'destinations').entries()) {
    for (const [place, kind] of listAt(destination, 'kinds').entries()) {
      if (typeof kind === 'string' && kind !== '' && !known.includes(kind))
        report(['destinations', index, 'kinds', place], `is not a kind of ${where}${suggestion(kind, known)}`)
    }
  }
}

function checkDestinationUrls(config: unknown, report: ReportProblem): void {
  const rules = addressRules(listAt(config, 'forwarding', 'allowedNetworks'))
  for (const [index, destination] of listAt(config, 'destinations').entries()) {
    const url = at(destination, 'url')
    const problem = typeof url === 'string' && url !== '' ? problemOf(() => checkDestinationUrl(url, rules)) : null
    if (problem !== null) report(['destinations', index, 'url'], problem)
  }
}

function checkServiceEnvironments(config: unknown, report: ReportProblem): void {
  for (const { services, servicePath } of ownersOf(config)) {
    const seen = new Set<unknown>()
    for (const [index, entry] of services.entries()) {
      const environment = at(entry, 'environment')
      if (environment !== undefined && seen.has(environment))
        report(
          [...servicePath, index, 'environment'],
          'is the environment of an entry above: write one entry for each environment',
        )
      seen.add(environment)
    }
  }
}

function checkReconciledKinds(config: unknown, report: ReportProblem): void {
  for (const { name, kinds, services, servicePath } of ownersOf(config)) {
    const where = name === null ? 'callbacks.kinds' : `the institution ${name}`
    for (const [index, entry] of services.entries())
      checkReconcile(entry, Object.keys(kinds), where, (path, problem) =>
        report([...servicePath, index, ...path], problem),
      )
  }
}

/** If a network is invalid, every address is allowed, because the URLs may be right once it is corrected. */
function addressRules(networks: unknown[]): AddressRules {
  const texts = networks.filter((network) => typeof network === 'string')
  const isReadable = texts.length === networks.length && problemOf(() => compileAddressRules(texts)) === null
  return compileAddressRules(isReadable ? texts : ['0.0.0.0/0', '::/0'])
}

function problemOf(attempt: () => unknown): string | null {
  try {
    attempt()
    return null
  } catch (error) {
    if (error instanceof PortariaError) return error.details[0] ?? messageOf(error)
    throw error
  }
}

function listAt(value: unknown, ...path: string[]): unknown[] {
  const list = at(value, ...path)
  return Array.isArray(list) ? list : []
}
