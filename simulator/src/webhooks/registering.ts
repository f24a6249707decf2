import type { Site } from '../site.ts'
import { addressProblem } from './address-problems.ts'

/** The address as it is compared. @throws ServiceError 400 unless it is https */
export function httpsUrl(site: Site, url: string): URL {
  const parsed = new URL(url)
  if (parsed.protocol !== 'https:') throw addressProblem(site.settings.errors, 'not_https')
  return parsed
}

/**
 * The two requests to an address. The header `x-skip-mtls-checking: true` leaves out the first (service-errors.md).
 * @throws ServiceError 400 when the address is not accepted
 */
export async function requireTwoRequests(
  site: Site,
  url: URL,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Promise<void> {
  const skipFirst = String(headers['x-skip-mtls-checking']).toLowerCase() === 'true'
  const timeoutMs = site.settings.webhooks.timeoutSeconds * 1000
  const verdict = await site.webhooks.judge(url, { skipFirst, timeoutMs })
  if (!verdict.ok) throw addressProblem(site.settings.errors, verdict.reason, verdict.detail)
}
