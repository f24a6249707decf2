import { localDateTime } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import type { Callback, ChargeNotification } from '../webhooks/callback.ts'
import { addEntry, type NotificationEntry } from './notification-log.ts'

/** Who receives the notifications of a token. */
export interface Recipient {
  readonly token: string
  readonly account: string
  /** Application that created the charge: it decides on the form. */
  readonly clientId: string
  /** null: entries are kept, and nothing is sent. */
  readonly url: string | null
}

/** Keeps an entry and sends it to the recipient, in the form of its application, with retries. */
export function notify(site: Site, recipient: Recipient, entry: Omit<NotificationEntry, 'id' | 'createdAt'>): void {
  const { token, account, clientId, url } = recipient
  const added = addEntry(site, { token, account }, entry)
  if (url === null) return
  const form = formOf(site, clientId)
  const body = form === 'token' ? `notification=${token}` : JSON.stringify(jsonBody(site, token, added))
  const chargeId = entry.identifiers.charge_id ?? null
  site.webhooks.send({ interface: 'charges', account, url, body, notification: { token, form, chargeId } })
}

/** Document 2, Notification attributes; service-decisions.md, notification content. */
function jsonBody(site: Site, token: string, { identifiers, customId, status, createdAt, ...rest }: NotificationEntry) {
  const entry = {
    ...identifiers,
    custom_id: customId,
    status: status.current,
    created_at: localDateTime(createdAt, site.settings.timeZone),
    ...(rest.receivedByBankAt !== undefined && { received_by_bank_at: rest.receivedByBankAt }),
  }
  return { notification: { token, entries: [entry] } }
}

/** JSON unless the control API chose the token form. */
export function formOf(site: Site, clientId: string): ChargeNotification['form'] {
  return site.collection<ChargeNotification['form']>('notification-forms').get(clientId) ?? 'json'
}

export function setForm(site: Site, clientId: string, form: ChargeNotification['form']): void {
  site.collection<ChargeNotification['form']>('notification-forms').put(clientId, form)
}

/** The entries of a token were fetched: that delivers its forms. JSON entries are delivered by the answer to their POST. */
export function markFetched(site: Site, token: string): void {
  const { callbacks, ofNotification } = site.webhooks
  for (const callback of ofNotification(token))
    if (callback.state === 'pending' && callback.notification?.form === 'token')
      callbacks.put(callback.id, { ...callback, state: 'delivered' })
}

/** Sends further tries to the token's new URL. null: there are none. @param chargeId only those that tell of this charge */
export function redirect(site: Site, token: string, url: string | null, chargeId?: number): void {
  const { ofNotification, redirect: redirectTo } = site.webhooks
  const isMeant = ({ notification }: Callback) => chargeId === undefined || notification?.chargeId === chargeId
  redirectTo(ofNotification(token).filter(isMeant), url)
}
