import { isIP } from 'node:net'
import { hostOf } from '../../webhooks/receiver-call.ts'
import { OWN_CERTIFICATE } from '../fixes/callers.ts'
import type { ReceiverCertificate } from '../receiver-certificate.ts'
import { type Bench, fail, type Judgement, pass, type Scenario, skip, warn } from '../scenario.ts'
import { DOCUMENT_1, rule, SILENT_1 } from '../sources.ts'
import { type Text, text } from '../text.ts'

const OWN = rule(
  DOCUMENT_1,
  'The server needs its own valid certificate issued by a certificate authority. The service verifies chain, name and dates.',
)
const DAY_MS = 86_400_000
const SOON_DAYS = 14

/** OpenSSL's codes of dates, which have a scenario of their own. */
const ABOUT_DATES = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']

const chain = certificateScenario({
  id: 'certificate-chain',
  title: text('Its own certificate comes with a complete, trusted chain'),
  async judge({ distrust, certificate }) {
    if (distrust === null || ABOUT_DATES.includes(distrust))
      return pass(text('issued by {issuer}', { issuer: oneLine(certificate.issuer) }))
    return fail(
      text(
        '{distrust}: the chain is incomplete, or its authority is none of the public ones (--ca names another one)',
        { distrust },
      ),
    )
  },
})

const name = certificateScenario({
  id: 'certificate-name',
  title: text('Its own certificate names the host'),
  async judge({ certificate }, { url }) {
    const host = hostOf(url)
    const isNamed = isIP(host) === 0 ? certificate.checkHost(host, { subject: 'never' }) : certificate.checkIP(host)
    const names = certificate.subjectAltName ?? ''
    return isNamed === undefined
      ? fail(text('{host} is not among {names}', { host, names: names || text('no names') }))
      : pass(text('{host} is named', { host }))
  },
})

const dates = certificateScenario({
  id: 'certificate-dates',
  title: text('Its own certificate is in date'),
  async judge({ certificate }) {
    const { validFromDate, validToDate } = certificate
    const now = Date.now()
    const reason = text('valid from {from} to {to}', {
      from: validFromDate.toISOString(),
      to: validToDate.toISOString(),
    })
    if (now < validFromDate.getTime() || now > validToDate.getTime()) return fail(reason)
    return validToDate.getTime() - now < SOON_DAYS * DAY_MS ? warn(reason) : pass(reason)
  },
})

const withoutName: Scenario = {
  id: 'certificate-without-name',
  title: text('The same certificate is shown without a server name (SNI)'),
  why: rule(SILENT_1, 'The certificate must be complete, and the same with and without SNI.'),
  fix: OWN_CERTIFICATE,
  needsNoAnswer: true,
  async run(bench) {
    if (bench.url.protocol === 'http:') return skip(WITHOUT_TLS)
    if (isIP(bench.url.hostname.replace(/^\[(.*)\]$/, '$1')) !== 0)
      return skip(text('the URL has an address, so no name is sent'))
    const [named, unnamed] = await Promise.all([bench.certificate(true), bench.certificate(false)])
    if (named === null) return fail(NOT_SEEN)
    if (unnamed === null) return warn(text('no certificate is shown to callers without a name'))
    if (named.raw.equals(unnamed.raw)) return pass(text('the same'))
    const subject = oneLine(unnamed.certificate.subject)
    return fail(text('without the name another one is shown: {subject}', { subject }))
  },
}

const WITHOUT_TLS = text('http has no certificate')
const NOT_SEEN = text('no handshake got as far as the certificate')

interface CertificateScenario {
  readonly id: string
  readonly title: Text
  readonly judge: (certificate: ReceiverCertificate, bench: Bench) => Promise<Judgement>
}

function certificateScenario({ id, title, judge }: CertificateScenario): Scenario {
  return {
    id,
    title,
    why: OWN,
    fix: OWN_CERTIFICATE,
    needsNoAnswer: true,
    async run(bench) {
      if (bench.url.protocol === 'http:') return skip(WITHOUT_TLS)
      const shown = await bench.certificate(true)
      return shown === null ? fail(NOT_SEEN) : judge(shown, bench)
    },
  }
}

function oneLine(name: string): string {
  return name.replaceAll('\n', ', ')
}

export const OWN_CERTIFICATE_SCENARIOS: readonly Scenario[] = [chain, name, dates, withoutName]
