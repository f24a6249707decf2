import { z } from 'zod'
import { problem, type ServiceError, violationsOf } from '../http/service-error.ts'

const webUrl = z.url({ protocol: /^https?$/, error: 'Informe uma URL válida.' })

const security = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('mtls') }),
    z.strictObject({
      type: z.literal('hmac'),
      hash: z.string('Informe o hash.').min(1, 'Informe o hash.').max(255, 'O hash tem até 255 caracteres.'),
    }),
  ],
  'Informe mtls ou hmac.',
)

/** Document 1, endpoint 16. `generateTxIdForInic` is sent by clients in the field. */
export const settingsBody = z.strictObject({
  redirectURL: webUrl,
  webhookURL: webUrl,
  webhookSecurity: security.default({ type: 'mtls' }),
  processPayment: z.enum(['async', 'sync'], 'Informe async ou sync.').default('async'),
  generateTxIdForInic: z.boolean('Informe true ou false.').default(false),
})

export type OpenBankingSettings = z.output<typeof settingsBody>

/** `processPayment` is never returned. */
export const settingsSchema = z.object({
  redirectURL: z.string(),
  webhookURL: z.string(),
  webhookSecurity: security,
  generateTxIdForInic: z.boolean(),
})

/** Names and statuses of wrong values (service-errors.md, endpoint 16), by member. */
const PROBLEMS: readonly (readonly [pointer: string, missing: string | null, wrong: string])[] = [
  ['/redirectURL', 'redirect_url_obrigatorio', 'redirect_url_invalido'],
  ['/webhookURL', 'webhook_url_obrigatorio', 'webhook_url_invalido'],
  ['/webhookSecurity/hash', null, 'webhook_seguranca_hash_invalido'],
  ['/webhookSecurity', null, 'webhook_seguranca_invalido'],
]

/** 400 where an address is missing, 422 for a wrong value, named after the first violation. */
export function invalidSettings(error: z.ZodError, body: unknown): ServiceError {
  const violations = violationsOf(error)
  const { caminho = '', mensagem = 'A requisição não é válida.' } = violations[0] ?? {}
  const found = PROBLEMS.find(([pointer]) => caminho === pointer || caminho.startsWith(`${pointer}/`))
  if (found === undefined) return problem(400, 'erro_de_validacao', mensagem, violations)
  const [pointer, missing, wrong] = found
  const isMissing = (body as Record<string, unknown> | null)?.[pointer.slice(1)] === undefined
  return isMissing && missing !== null
    ? problem(400, missing, mensagem, violations)
    : problem(422, wrong, mensagem, violations)
}
