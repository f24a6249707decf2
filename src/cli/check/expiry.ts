import type { X509Certificate } from 'node:crypto'
import { explainOutOfDate, nameOf } from '../../certificates/files/pem.ts'
import { daysInWords } from '../../certificates/live/certificate-format.ts'
import { daysLeftOf } from '../../certificates/live/describe-certificate.ts'
import type { CheckContext } from './context.ts'
import type { CheckReport, Finding } from './finding.ts'

/** With fewer days left, do not rely on an automatic renewal any longer. */
const URGENT_DAYS = 7

/** One finding for each certificate that expires too soon; if there is none, a good one with the first to expire. */
export function expiryFindings(
  certificates: readonly X509Certificate[],
  { report, what, renew }: { report: CheckReport; what: string; renew: string },
  { now, days }: CheckContext,
): Finding[] {
  const trouble = certificates.flatMap((certificate) => {
    const outOfDate = explainOutOfDate(certificate, now)
    if (outOfDate !== null) return report.problem(what, `${nameOf(certificate)} ${outOfDate}`, renew)
    const left = daysLeftOf(certificate, now)
    if (left >= days) return []
    const found = `${nameOf(certificate)} expires ${daysInWords(left)}, on ${dayOf(certificate)}`
    return left < URGENT_DAYS ? report.problem(what, found, renew) : report.warning(what, found, renew)
  })
  if (trouble.length > 0) return trouble
  const [first] = certificates.toSorted((one, two) => one.validToDate.getTime() - two.validToDate.getTime())
  if (first === undefined) return []
  return [report.good(what, `the first to expire is ${nameOf(first)}, ${daysInWords(daysLeftOf(first, now))}`)]
}

function dayOf({ validToDate }: X509Certificate): string {
  return validToDate.toISOString().slice(0, 10)
}
