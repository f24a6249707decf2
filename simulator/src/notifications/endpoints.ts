import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { chargeProblem } from '../http/service-error.ts'
import { localDateTime, localTime } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { findLog, keptEntries, type NotificationEntry } from './notification-log.ts'
import { markFetched } from './notify.ts'

const entrySchema = z.object({
  id: z.int(),
  type: z.enum(['charge', 'subscription', 'subscription_charge', 'carnet', 'carnet_charge']),
  custom_id: z.string().nullable(),
  status: z.object({ current: z.string(), previous: z.string().nullable() }),
  identifiers: z.object({
    charge_id: z.int().optional(),
    subscription_id: z.int().optional(),
    carnet_id: z.int().optional(),
  }),
  created_at: localTime,
  value: z.int().optional(),
  received_by_bank_at: z.iso.date().optional(),
})

/** The entries behind the token form of a notification (service-decisions.md, Callbacks as seen in the field). */
export function notificationEndpoints(site: Site): Endpoint[] {
  return [
    endpoint({
      number: null,
      id: 'getNotification',
      method: 'get',
      path: '/v1/notification/:token',
      scope: null,
      summary: 'Show the status changes behind a notification token, of the last six months, oldest first',
      answers: {
        200: { description: 'The entries', schema: z.object({ code: z.literal(200), data: z.array(entrySchema) }) },
        404: { description: 'No notification of the account has this token' },
      },
      run({ params: { token = '' }, application, at }) {
        const log = findLog(site, token)
        if (log === undefined || log.account !== application.account)
          throw chargeProblem(404, 'not_found', 'A notificação não existe.')
        markFetched(site, token)
        const { timeZone } = site.settings
        return { status: 200, json: { code: 200, data: keptEntries(log, at, timeZone).map(viewIn(timeZone)) } }
      },
    }),
  ]
}

function viewIn(timeZone: string) {
  return function view({ id, type, customId, status, identifiers, createdAt, ...paid }: NotificationEntry) {
    return {
      id,
      type,
      custom_id: customId,
      status,
      identifiers,
      created_at: localDateTime(createdAt, timeZone),
      ...(paid.valueCents !== undefined && { value: paid.valueCents }),
      ...(paid.receivedByBankAt !== undefined && { received_by_bank_at: paid.receivedByBankAt }),
    }
  }
}
