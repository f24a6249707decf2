import { randomBytes } from 'node:crypto'
import { createKey, hasKey, keysOf } from '../account/keys.ts'
import { instantPaymentCode } from '../rules/instant-payment-code.ts'
import type { Site } from '../site.ts'
import type { BilletPayment, Charge, InstantPaymentOfBillet } from './charge.ts'
import { findCharge } from './charges.ts'

/** A charge with the instant payment of its billet. */
export type InstantlyPayable = Charge & {
  readonly payment: BilletPayment & { readonly instantPayment: InstantPaymentOfBillet }
}

/** Whether billets that the account makes from now on have instant-payment codes. */
export function hasInstantPayment(site: Site, account: string): boolean {
  return switches(site).get(account) ?? false
}

/** Switched on, it registers a key for an account that has none. */
export function setInstantPayment(site: Site, account: string, isOn: boolean): void {
  site.records.transaction(() => {
    switches(site).put(account, isOn)
    if (isOn && keysOf(site, account).length === 0) createKey(site, account)
  })
}

/** The instant payment of a new billet, under the newest key; null: it is switched off, or the account has no key. */
export function newInstantPayment(site: Site, charge: Charge, amountCents: number): InstantPaymentOfBillet | null {
  if (!hasInstantPayment(site, charge.account)) return null
  const key = keysOf(site, charge.account).at(-1)
  if (key === undefined) return null
  const { name: payee } = site.applications.accountOf(charge)
  return { key, id: newId(charge.id), amountCents, payee }
}

/** The code of a billet; null: it has none, or its key was removed. */
export function codeOf(site: Site, { instantPayment }: Pick<BilletPayment, 'instantPayment'>): string | null {
  if (!instantPayment || !hasKey(site, instantPayment.key)) return null
  const { amountCents, payee } = instantPayment
  return instantPaymentCode({ location: locationOf(site, instantPayment), amountCents, payee, city: 'SAO PAULO' })
}

/** Address of the payment's record, without its scheme: 77 characters at a port of five digits. */
export function locationOf(site: Site, { key, id }: Pick<InstantPaymentOfBillet, 'key' | 'id'>): string {
  return `${new URL(site.origin()).host}/pix/${key}/${id}`
}

/** 32 letters and digits, as the scheme has them for a charge. */
export function txidOf({ id, payment }: InstantlyPayable): string {
  return payment.instantPayment.id + String(id).padStart(12, '0')
}

/** The charge at a location, whatever its status; undefined: there is none, or the key was removed. */
export function chargeAt(site: Site, key: string, id: string): InstantlyPayable | undefined {
  const charge = findCharge(site, chargeIdOf(id))
  if (charge?.payment?.method !== 'banking_billet' || !hasKey(site, key)) return undefined
  const { payment } = charge
  const { instantPayment } = payment
  if (instantPayment?.id !== id || instantPayment.key !== key) return undefined
  return { ...charge, payment: { ...payment, instantPayment } }
}

function switches(site: Site) {
  return site.collection<boolean>('instant-payment')
}

const RANDOM_DIGITS = 12

/** 12 random hexadecimal digits, which cannot be guessed, and the charge's id, by which the charge is found. */
function newId(chargeId: number): string {
  return randomBytes(RANDOM_DIGITS / 2).toString('hex') + chargeId.toString(16).padStart(8, '0')
}

function chargeIdOf(id: string): number {
  return Number.parseInt(id.slice(RANDOM_DIGITS), 16)
}
