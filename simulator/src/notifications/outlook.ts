import { z } from 'zod'
import type { Outlook } from '../control-api/outlook.ts'
import type { Site } from '../site.ts'
import type { Callback } from '../webhooks/callback.ts'
import { callbackCounts, callbackOutlook, countsOf } from '../webhooks/callback-outlook.ts'
import { findLog, type Identifiers, type NotificationEntry } from './notification-log.ts'
import { formOf } from './notify.ts'

export const notificationsMember = z.object({
  url: z.string().nullable().describe('null: entries are kept, and nothing is sent'),
  form: z.enum(['json', 'token']),
  token: z.string(),
  entries: z.int(),
  ...callbackCounts.shape,
})

interface Subject {
  readonly clientId: string
  readonly notificationUrl: string | null
  readonly notificationToken: string
  /** Which entries and callbacks of the token are about it. @param chargeId null: the subscription or carnet itself */
  readonly isAbout: (chargeId: number | null) => boolean
  /** Endpoint that changes the address: `PUT /v1/charge/1/metadata`. */
  readonly metadata: string
}

/** How the notifications of a charge, a subscription or a carnet went, and the changes of status that they tell. */
export function notificationOutlook(
  site: Site,
  subject: Subject,
): Outlook & { notifications: z.output<typeof notificationsMember> } {
  const { clientId, notificationUrl: url, notificationToken: token, isAbout, metadata } = subject
  const entries = (findLog(site, token)?.entries ?? []).filter(({ identifiers }) =>
    isAbout(identifiers.charge_id ?? null),
  )
  const callbacks = site.webhooks.ofNotification(token).filter((one) => isAbout(one.notification?.chargeId ?? null))
  const calls = callbackOutlook(site, callbacks, nameOf)
  const missing = {
    at: null,
    what: `no address: entries are kept and nothing is sent; ${metadata} sets notification_url`,
  }
  return {
    notifications: { url, form: formOf(site, clientId), token, entries: entries.length, ...countsOf(callbacks) },
    history: [...entries.map((entry) => ({ at: entry.createdAt, what: statusLine(entry) })), ...calls.history],
    next: [...calls.next, ...(url === null ? [missing] : [])],
  }
}

/** `charge 1000001 is waiting, was new` */
function statusLine({ type, identifiers, status: { current, previous } }: NotificationEntry): string {
  const kind = type.replace(/^.*_/, '')
  const id = identifiers[`${kind}_id` as keyof Identifiers]
  return `${kind} ${id} is ${current}${previous === null ? '' : `, was ${previous}`}`
}

/** A JSON notification names its status, a token none. */
function nameOf({ body, notification }: Callback): string {
  if (notification?.form === 'token') return 'token'
  try {
    const { entries } = JSON.parse(body).notification
    return entries.map(({ status }: { status: string }) => status).join(', ')
  } catch {
    return 'sent by the control API'
  }
}
