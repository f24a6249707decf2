import type { Site } from './site.ts'

/** What an account has before anything was paid, in cents. */
const FIRST_BALANCE = 100_000_000

/** Balance of an account, in cents. */
export function balanceOf(site: Site, account: string): number {
  return site.collection<number>('balances').get(account) ?? FIRST_BALANCE
}

export function setBalance(site: Site, account: string, cents: number): void {
  site.collection<number>('balances').put(account, cents)
}
