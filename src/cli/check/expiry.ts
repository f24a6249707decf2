import type { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { explainOutOfDate, nameOf } from '../../certificates/files/pem.ts'
import { daysInWords } from '../../certificates/live/certificate-format.ts'
import { daysLeftOf } from '../../certificates/live/describe-certificate.ts'
import { judgeExpiry, shortFormOf } from '../../domain/expiry.ts'
import type { CheckContext } from './context.ts'
import type { CheckReport, Finding } from './finding.ts'

/** For a renewal that fails at first and is tried again. */
const GRACE_DAYS = 5
const DAY_MS = 86_400_000

interface ExpiryCheck {
  readonly report: CheckReport
  readonly what: string
  readonly renew: string
  /** The file of one of our own certificates: its age shows whether something renews it. */
  readonly file?: string
}

/** One finding for each certificate that expires too soon; if there is none, a good one with the first to expire. */
export function expiryFindings(
  certificates: readonly X509Certificate[],
  { report, what, renew, file }: ExpiryCheck,
  { now, days }: Pick<CheckContext, 'now' | 'days'>,
): Finding[] {
  const trouble = certificates.flatMap((certificate) => {
    const outOfDate = explainOutOfDate(certificate, now)
    if (outOfDate !== null)
      return report.problem('certificate.expired', what, `${nameOf(certificate)} ${outOfDate}`, renew)
    const left = daysLeftOf(certificate, now)
    const judgement = judgeExpiry(shortFormOf(certificate), now.getTime())
    const found = `${nameOf(certificate)} expires ${daysInWords(left)}, on ${dayOf(certificate)}`
    if (judgement === 'problem') return report.problem('certificate.urgent', what, found, renew)
    if (judgement === 'warning' && file !== undefined && isLeftAlone(certificate, file, now)) {
      const words = `${found}, and its file is older than the usual time between renewals: nothing renews it`
      return report.problem('certificate.not_renewed', what, words, renew)
    }
    const isSoon = days === null ? judgement === 'warning' : left < days
    return isSoon ? report.warning('certificate.expiring', what, found, renew) : []
  })
  if (trouble.length > 0) return trouble
  const [first] = certificates.toSorted((one, two) => one.validToDate.getTime() - two.validToDate.getTime())
  if (first === undefined) return []
  return [report.good(what, `the first to expire is ${nameOf(first)}, ${daysInWords(daysLeftOf(first, now))}`)]
}

/** A certificate is usually renewed after two thirds of its lifetime. */
function isLeftAlone(certificate: X509Certificate, file: string, now: Date): boolean {
  const unchangedDays = (now.getTime() - statSync(file).mtimeMs) / DAY_MS
  const lifetime = lifetimeOf(certificate)
  return unchangedDays > (lifetime * 2) / 3 + Math.min(GRACE_DAYS, lifetime / 12)
}

/** Days. */
function lifetimeOf({ validFromDate, validToDate }: X509Certificate): number {
  return (validToDate.getTime() - validFromDate.getTime()) / DAY_MS
}

function dayOf({ validToDate }: X509Certificate): string {
  return validToDate.toISOString().slice(0, 10)
}
