import { z } from 'zod'
import { instant, pageQuery, pageSchema } from '../http/lists.ts'

export const url = z.url({ error: 'Informe uma URL válida.' })

/** Document 1, endpoint 18; with `url` and `chave` it moves a webhook to another address (service-errors.md). */
export const registrationBody = z.union([
  z.strictObject({ webhookUrl: url }),
  z.strictObject({ url, chave: z.string().min(1, 'Informe o identificador do webhook.') }),
])

export const identifierSchema = z.object({ identificadorWebhook: z.uuid() })

export const webhookSchema = z.object({
  webhookUrl: z.string(),
  identificadorWebhook: z.uuid(),
  criacao: z.iso.datetime(),
})

export const listQuery = z.object({ inicio: instant.optional(), fim: instant.optional(), ...pageQuery })

export const listSchema = z.object({
  parametros: z.object({
    inicio: z.iso.datetime({ offset: true }),
    fim: z.iso.datetime({ offset: true }),
    paginacao: pageSchema,
  }),
  webhooks: z.array(webhookSchema),
})
