import type { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { explainOutOfDate, nameOf } from '../../certificates/files/pem.ts'
import { daysInWords } from '../../certificates/live/certificate-format.ts'
import { daysLeftOf } from '../../certificates/live/describe-certificate.ts'
import type { CheckContext } from './context.ts'
import type { CheckReport, Finding } from './finding.ts'

/** With fewer days left, rely on no automatic renewal any longer: on ours, and on that of other parties. */
const URGENT_DAYS = { own: 14, others: 7 }
/** Automatic renewals of certificates for 90 days take place at this time, and those of shorter ones with a third of the lifetime left. */
const EARLY_DAYS = 30
/** Short-lived certificates (CA/Browser Forum Baseline Requirements, section 1.6.1, rounded up) are renewed within days. */
const SHORT_LIVED_DAYS = 10
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
    const found = `${nameOf(certificate)} expires ${daysInWords(left)}, on ${dayOf(certificate)}`
    if (left < urgentDaysOf(certificate, file)) return report.problem('certificate.urgent', what, found, renew)
    if (left < EARLY_DAYS && file !== undefined && isLeftAlone(certificate, file, now)) {
      const words = `${found}, and its file is older than the usual time between renewals: nothing renews it`
      return report.problem('certificate.not_renewed', what, words, renew)
    }
    return left < (days ?? earlyDaysOf(certificate)) ? report.warning('certificate.expiring', what, found, renew) : []
  })
  if (trouble.length > 0) return trouble
  const [first] = certificates.toSorted((one, two) => one.validToDate.getTime() - two.validToDate.getTime())
  if (first === undefined) return []
  return [report.good(what, `the first to expire is ${nameOf(first)}, ${daysInWords(daysLeftOf(first, now))}`)]
}

function earlyDaysOf(certificate: X509Certificate): number {
  return Math.min(EARLY_DAYS, lifetimeOf(certificate) / 3)
}

function urgentDaysOf(certificate: X509Certificate, file: string | undefined): number {
  const days = file === undefined ? URGENT_DAYS.others : URGENT_DAYS.own
  return lifetimeOf(certificate) > SHORT_LIVED_DAYS ? days : lifetimeOf(certificate) / 6
}

/** A certificate is usually renewed after two thirds of its lifetime. */
function isLeftAlone(certificate: X509Certificate, file: string, now: Date): boolean {
  const unchangedDays = (now.getTime() - statSync(file).mtimeMs) / DAY_MS
  return unchangedDays > (lifetimeOf(certificate) * 2) / 3 + GRACE_DAYS
}

/** Days. */
function lifetimeOf({ validFromDate, validToDate }: X509Certificate): number {
  return (validToDate.getTime() - validFromDate.getTime()) / DAY_MS
}

function dayOf({ validToDate }: X509Certificate): string {
  return validToDate.toISOString().slice(0, 10)
}
