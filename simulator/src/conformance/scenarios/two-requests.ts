import { isSuccess } from '../../webhooks/two-requests.ts'
import { ANSWER_WELL } from '../fixes/answers.ts'
import { REQUIRE_CERTIFICATE, TLS_VERSIONS, VERSIONS_WITH_CERTIFICATE } from '../fixes/callers.ts'
import { outcomeText } from '../outcome-texts.ts'
import { type Bench, fail, type Judgement, pass, type Scenario, type TlsVersion, warn } from '../scenario.ts'
import { DOCUMENT_1, rule } from '../sources.ts'
import { joined, text, verbatim } from '../text.ts'
import { mustAccept } from './answers.ts'
import { judgeRefused, mustRefuse, together } from './refusal.ts'

const FIRST_REQUEST = rule(
  DOCUMENT_1,
  'The service first makes a request without a certificate, which the server must refuse. A refusal is a failed handshake, a closed connection or 4xx; 2xx and 3xx accept.',
)
const BY_DEFAULT_SERVER = rule(
  DOCUMENT_1,
  'A certificate is required. A default server that answers callers without the name is a way around it.',
)
const VERSIONS = rule(
  DOCUMENT_1,
  'TLS 1.2 or higher. One of the two versions is enough, and both have to refuse callers without a certificate.',
)
const WITHOUT = text('without a certificate')

export const NOTIFICATION: Scenario = {
  id: 'notification',
  order: 'first',
  title: text('A callback with the certificate is answered with 2xx'),
  why: rule(
    DOCUMENT_1,
    'The second request is the notification with the certificate of the service; the route answers with success. Any other answer makes the service send it again, and give up in the end.',
  ),
  fix: ANSWER_WELL,
  run: (bench) => mustAccept(bench, text('with the certificate')),
}

const certless: Scenario = {
  id: 'certless',
  title: text('A caller without a certificate is refused'),
  why: FIRST_REQUEST,
  fix: REQUIRE_CERTIFICATE,
  needsNoAnswer: true,
  run: (bench) => mustRefuse(bench, WITHOUT, { credentials: null }),
}

const withoutName: Scenario = {
  id: 'certless-without-name',
  title: text('A caller without a certificate and without a server name (SNI) is refused'),
  why: BY_DEFAULT_SERVER,
  fix: REQUIRE_CERTIFICATE,
  needsNoAnswer: true,
  run: (bench) =>
    refusedBesides(bench, text('without a certificate and a name'), {
      withoutServerName: true,
    }),
}

const byAddress: Scenario = {
  id: 'certless-by-address',
  title: text('A caller without a certificate at the IP address is refused'),
  why: BY_DEFAULT_SERVER,
  fix: REQUIRE_CERTIFICATE,
  needsNoAnswer: true,
  run(bench) {
    const url = new URL(bench.url)
    url.hostname = bench.address.includes(':') ? `[${bench.address}]` : bench.address
    return refusedBesides(bench, text('without a certificate at {host}', { host: url.host }), {
      url,
    })
  },
}

/** A redirect to another server keeps the callback out; it is no answer to it. */
async function refusedBesides(
  bench: Bench,
  caller: ReturnType<typeof text>,
  { withoutServerName, url }: { readonly withoutServerName?: true; readonly url?: URL },
): Promise<Judgement> {
  const finished = await bench.send({
    credentials: null,
    ...(url !== undefined && { url }),
    call: { isStatusEnough: true, ...(withoutServerName && { withoutServerName }) },
  })
  const { outcome } = finished
  const isRedirect = outcome.kind === 'answered' && outcome.status >= 300 && outcome.status < 400
  return isRedirect ? warn(joined([caller, outcomeText(outcome)], ': ')) : judgeRefused(caller, finished)
}

const tls12 = versionScenario('tls-1-2', 'TLSv1.2', 'TLSv1.3')
const tls13 = versionScenario('tls-1-3', 'TLSv1.3', 'TLSv1.2')

function versionScenario(id: string, version: TlsVersion, other: TlsVersion): Scenario {
  const name = nameOf(version)
  return {
    id,
    title: text('The two requests in {name}', { name }),
    why: VERSIONS,
    fix: VERSIONS_WITH_CERTIFICATE,
    async run(bench) {
      const withCertificate = await bench.send({ tls: { version } })
      const what = text('with the certificate in {name}', { name })
      const reason = joined([what, outcomeText(withCertificate.outcome)], ': ')
      const refused = await mustRefuse(bench, text('without one in {name}', { name }), {
        credentials: null,
        tls: { version },
      })
      if (isSuccess(withCertificate.outcome)) return together([pass(reason), refused])
      // What is not offered is refused to everybody, and the other version may be enough.
      if (withCertificate.outcome.kind !== 'handshake_failed' && withCertificate.outcome.kind !== 'closed')
        return together([fail(reason), refused])
      const otherOne = await bench.send({ tls: { version: other } })
      const alone = text('{name} is not offered, and {other} is enough', { name, other: nameOf(other) })
      return together([isSuccess(otherOne.outcome) ? pass(alone) : fail(reason), refused])
    },
  }
}

export function nameOf(version: TlsVersion): string {
  return version === 'TLSv1' ? 'TLS 1.0' : version.replace('TLSv', 'TLS ')
}

const older: Scenario = {
  id: 'tls-older',
  title: text('TLS 1.0 and 1.1 are refused'),
  why: rule(DOCUMENT_1, 'TLS 1.2 or higher. RFC 8996 forbids the older versions.'),
  fix: TLS_VERSIONS,
  needsNoAnswer: true,
  async run(bench) {
    const versions = ['TLSv1', 'TLSv1.1'] as const
    const judged = versions.map(async (version): Promise<Judgement> => {
      let isSecured = false
      const { outcome } = await bench.send({
        tls: { version },
        call: {
          cut: 'before_request',
          onSecured: () => {
            isSecured = true
          },
        },
      })
      const name = nameOf(version)
      if (isSecured) return fail(text('{name} is spoken', { name }))
      if (outcome.kind === 'timeout') return fail(joined([verbatim(name), outcomeText(outcome)], ': '))
      return pass(text('{name} is refused', { name }))
    })
    return together(await Promise.all(judged))
  },
}

export const TWO_REQUESTS: readonly Scenario[] = [NOTIFICATION, certless, withoutName, byAddress, tls12, tls13, older]
