import { issueAuthority, issueLeaf } from '../../certificates/development/test-ca.ts'
import { type Config, routesOf, suffixesOf } from '../../config/config.ts'
import { realmOf } from '../../domain/realm.ts'
import { doubledSuffix } from '../../domain/refused-callbacks.ts'
import { type ProbeOptions, type ProbeReport, probeEndpoint } from '../../probe/two-request-probe.ts'
import { reserveOwnPort } from '../own-port.ts'
import { type CheckContext, clocksOf, type Seen } from './context.ts'
import { type Finding, reportOn } from './finding.ts'
import { trySpeakingOldTls } from './old-tls.ts'
import { makeSuffixRequests } from './outside-requests.ts'
import { checkServedCertificate } from './served-certificate.ts'
import { isSpokenElsewhere, rowFinding, untrustedFinding } from './two-requests.ts'
import { institutionFindings } from './url-institution.ts'

const { good, warning, problem } = reportOn('outside')

export interface OutsideOptions extends Pick<ProbeOptions, 'url' | 'authorities' | 'body' | 'timeoutMs'> {
  /** Certificate and key, PEM, of a caller that must be accepted; null: none was given. */
  readonly client: { readonly certificate: string; readonly privateKey: string } | null
  /** Whose URL it is; null: the unnamed one's. */
  readonly institution: string | null
}

/**
 * A client certificate that no server may accept, created for this check: it has the names of the test CA and new keys. A server that accepts it
 * accepts every caller, or compares only names.
 */
async function untrustedCaller(now: Date): Promise<{ certificate: string; privateKey: string }> {
  const root = await issueAuthority({ name: 'Test service root', now })
  const issuer = await issueAuthority({ name: 'Test service production CA', now, issuer: root })
  const leaf = await issueLeaf({ name: 'Test service production', usage: 'client', now, issuer })
  return { certificate: leaf.certificate + issuer.certificate, privateKey: leaf.privateKey }
}

/** Calls the gateway as the service does, and as an untrusted caller. */
export async function checkOutside(context: CheckContext, given: OutsideOptions): Promise<Seen> {
  const options = { ...given, reservePort: () => reserveOwnPort(context.config) }
  const untrusted = await untrustedCaller(context.now)
  context.progress(`calling ${options.url.href} with an untrusted certificate`)
  // Its certificate is worthless, so an untrusted server may see it.
  const turnedAway = await probeEndpoint({ ...options, ...untrusted, isInsecure: true })
  if (turnedAway.rows.every(({ outcome }) => outcome === 'unreachable'))
    return { findings: [unreachable(turnedAway)], clocks: [] }

  context.progress(`making the service’s two requests to ${options.url.href}`)
  const { client } = options
  const letIn = client === null ? null : await probeEndpoint({ ...options, ...client, isInsecure: false })
  context.progress('reading the served certificate')
  const findings = [
    ...institutionFindings(context.config, options.url, options.institution),
    ...requestFindings(letIn, turnedAway),
    untrustedFinding(turnedAway.rows),
    await oldTlsFinding(options, untrusted),
    ...redirectFindings(letIn ?? turnedAway),
    ...(await checkServedCertificate(context, options.url)),
  ]
  if (client === null || letIn === null || !isAnswered(letIn)) return { findings, clocks: [] }
  const doubled = doubledFindings(context.config, options)
  // Behind a suffix the gateway takes no second one: those requests would only be refused.
  const asked = doubled.length > 0 ? [] : suffixesOf(context.config, options.institution)
  const suffixes = await makeSuffixRequests({ ...options, client }, asked)
  return {
    findings: [...findings, ...doubled, ...suffixes.findings],
    clocks: clocksOf(options.url.host, suffixes.date),
  }
}

/** The service appends a suffix to the URL. Behind a query it does not reach the path. */
function doubledFindings(config: Config, { url, institution }: Pick<OutsideOptions, 'url' | 'institution'>): Finding[] {
  if (url.search !== '') return []
  const [suffixes, routes] = [suffixesOf(config, institution), routesOf(config)]
  const matchRoute = (target: string) => routes(realmOf(institution, 'production'), target)
  const doubled = doubledSuffix(url.pathname, { suffixes, matchRoute })
  if (doubled === null) return []
  const { suffix, registered } = doubled
  const found = `the URL ends in ${suffix}, and the service appends it again: its calls go to ${url.pathname}${suffix}, which is answered 404`
  const nextStep = `register the URL without ${suffix}: ${url.origin}${registered}`
  return [problem('outside.suffix', `suffix ${suffix}`, found, nextStep)]
}

function unreachable({ rows: [row], url }: ProbeReport): Finding {
  const nextStep = 'until then the service answers the registration with 400 webhook_invalido: unreachable'
  return problem('outside.unreachable', 'reachable', `${url}: ${row?.detail}`, nextStep)
}

/** Without a client certificate only one of the two requests is possible. */
function requestFindings(letIn: ProbeReport | null, turnedAway: ProbeReport): Finding[] {
  if (letIn !== null) return letIn.rows.map((row) => rowFinding(row, row.ok))
  const half = turnedAway.rows.filter(({ request }) => request === 'without certificate')
  const found = 'not tried: no client certificate was given'
  const nextStep = 'with a certificate that the service issued to you, add --cert FILE --key FILE'
  return [
    ...half.map((row) => rowFinding(row, row.ok || isSpokenElsewhere(row, half))),
    warning('outside.not_tried', 'with certificate', found, nextStep),
  ]
}

async function oldTlsFinding(
  { url, timeoutMs, ...options }: OutsideOptions & Required<Pick<ProbeOptions, 'reservePort'>>,
  untrusted: { readonly certificate: string; readonly privateKey: string },
): Promise<Finding> {
  const what = 'TLS 1.1 and older'
  const result = await trySpeakingOldTls(url, options.client ?? untrusted, {
    timeoutMs,
    localPort: await options.reservePort(),
  })
  switch (result) {
    case 'refused':
      return good(what, 'refused')
    case 'spoken':
      return problem('outside.old_tls', what, 'the server speaks it', 'let the server speak TLS 1.2 and 1.3 only')
    case 'unknown':
      return warning('outside.not_tried', what, 'could not be tried: no connection, or no response', 'check again')
  }
}

function redirectFindings({ rows }: ProbeReport): Finding[] {
  const redirected = rows.find(({ detail }) => /^(?:answered|accepted without certificate \(HTTP) 3\d\d/.test(detail))
  if (redirected !== undefined) {
    const nextStep = 'answer at this address itself, or register the final one: the service follows no redirect'
    return [problem('outside.redirect', 'redirects', redirected.detail, nextStep)]
  }
  return rows.some(({ outcome }) => outcome === 'answered') ? [good('redirects', 'none')] : []
}

function isAnswered({ rows }: ProbeReport): boolean {
  return rows.some(({ outcome }) => outcome === 'answered')
}
