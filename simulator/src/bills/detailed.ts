import type { Site } from '../site.ts'

/**
 * Which bills an account asked for, with the time of the first request.
 * This is bookkeeping and no record: a GET may write it.
 */
const detailed = (site: Site) => site.collection<number>('bookkeeping.detailed')

export function noteDetail(site: Site, account: string, barcode: string, at: number): void {
  if (!wasDetailed(site, account, barcode)) detailed(site).put(`${account} ${barcode}`, at)
}

export function wasDetailed(site: Site, account: string, barcode: string): boolean {
  return detailed(site).get(`${account} ${barcode}`) !== undefined
}

/** Who asked for the detail of a bill, and when for the first time (simulated ms). */
export function detailsOf(site: Site, barcode: string): { readonly account: string; readonly at: number }[] {
  return site.applications.accounts().flatMap(({ number: account }) => {
    const at = detailed(site).get(`${account} ${barcode}`)
    return at === undefined ? [] : [{ account, at }]
  })
}
