import { z } from 'zod'
import { type ControlEndpoint, controlEndpoint } from '../control-api/control-endpoint.ts'
import type { OutboxMessage } from '../outbox.ts'

const messageSchema = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  channel: z.enum(['sms', 'whatsapp', 'email']),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  link: z.string().nullable(),
})

/** What payers and end clients would be sent. */
export function outboxControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'listOutbox',
      method: 'get',
      path: '/outbox',
      summary: 'List the messages that payers and end clients would receive, oldest first',
      query: z.strictObject({
        to: z.string().optional().describe('Phone number or mail address'),
        subject: z.string().optional().describe('account_opening, charge_paid, …'),
      }),
      answers: { 200: { description: 'The messages', schema: z.object({ messages: z.array(messageSchema) }) } },
      run({ query: { to, subject }, site }) {
        const messages = site
          .collection<OutboxMessage>('outbox')
          .list()
          .filter((message) => (to ?? message.to) === message.to && (subject ?? message.subject) === message.subject)
          .map(({ at, ...message }) => ({ ...message, at: new Date(at).toISOString() }))
        return { status: 200, json: { messages } }
      },
    }),
  ]
}
