import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Site } from '../site.ts'

const flag = z.boolean('Informe true ou false.')

/** Every member may be left out (service-decisions.md, settings body). */
const keySettings = z.strictObject({
  recebimento: z
    .strictObject({
      txidObrigatorio: flag.optional(),
      recusarTipoPessoa: z.enum(['PF', 'PJ'], 'Informe PF ou PJ.').optional(),
      qrCodeEstatico: z.strictObject({ recusarTodos: flag.optional() }).optional(),
      webhook: z
        .strictObject({
          notificacao: z.strictObject({ tarifa: flag.optional(), pagador: flag.optional() }).optional(),
          notificar: z.strictObject({ pixSemTxid: flag.optional() }).optional(),
        })
        .optional(),
    })
    .optional(),
  envio: z
    .strictObject({
      webhook: z
        .strictObject({
          notificacao: z.strictObject({ tarifa: flag.optional(), favorecido: flag.optional() }).optional(),
        })
        .optional(),
    })
    .optional(),
})

const settingsBody = z
  .strictObject({
    pix: z
      .strictObject({
        receberSemChave: flag.optional(),
        chaves: z.record(z.string().min(1).max(77), keySettings).optional(),
      })
      .optional(),
  })
  .refine(hasValue, 'Informe ao menos uma configuração.')

/** What the document shows: the parts webhook and envio are kept, not listed (service-decisions.md, settings list). */
const listSchema = z.object({
  pix: z.object({
    receberSemChave: z.boolean(),
    chaves: z
      .record(
        z.string(),
        z.object({
          recebimento: z.object({
            txidObrigatorio: z.boolean(),
            recusarTipoPessoa: z.enum(['PF', 'PJ']).optional(),
            qrCodeEstatico: z.object({ recusarTodos: z.boolean() }),
          }),
        }),
      )
      .optional(),
  }),
})

type AccountSettings = z.output<typeof settingsBody>
type KeySettings = z.output<typeof keySettings>

/** Settings of the account: Document 1, endpoints 5 and 6. They change no receipt, of which no callback is documented. */
export function accountSettingsEndpoints(site: Site): Endpoint[] {
  const kept = settingsIn(site)
  return [
    endpoint({
      number: '1:5',
      id: 'putAccountSettings',
      method: 'put',
      path: '/v2/svc/config',
      scope: 'svc.settings.write',
      summary: 'Create or change settings of the account; what is left out stays',
      body: settingsBody,
      answers: { 201: { description: 'Set', schema: z.string(), type: 'text/plain' } },
      run({ body, application: { account } }) {
        kept.put(account, merged(kept.get(account), body) as AccountSettings)
        return { status: 201, text: 'Configurações atualizadas.' }
      },
    }),
    endpoint({
      number: '1:6',
      id: 'listAccountSettings',
      method: 'get',
      path: '/v2/svc/config',
      scope: 'svc.settings.read',
      summary: 'List the settings of the account',
      answers: { 200: { description: 'The settings', schema: listSchema } },
      run: ({ application: { account } }) => ({ status: 200, json: viewOf(kept.get(account)) }),
    }),
  ]
}

/** All that endpoint 5 set, also what endpoint 6 does not list. */
export function accountSettingsOf(site: Site, account: string): AccountSettings {
  return settingsIn(site).get(account) ?? {}
}

/** Forgets what endpoint 5 set for a key. */
export function removeKeySettings(site: Site, account: string, key: string): void {
  const settings = settingsIn(site).get(account)
  if (settings?.pix?.chaves === undefined || !Object.hasOwn(settings.pix.chaves, key)) return
  const { chaves, ...others } = settings.pix
  const kept = Object.entries(chaves).filter(([name]) => name !== key)
  settingsIn(site).put(account, { pix: { ...others, ...(kept.length > 0 && { chaves: Object.fromEntries(kept) }) } })
}

function settingsIn(site: Site) {
  return site.collection<AccountSettings>('account-settings')
}

function hasValue(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.values(value).some(hasValue) : value !== undefined
}

/** Members of the second one win; objects are merged, so that each key of the account keeps its other settings. */
function merged(before: unknown, now: unknown): unknown {
  if (!isObject(before) || !isObject(now)) return now
  // Names of keys are the caller's: none of them may change a prototype.
  const result = new Map(Object.entries(before))
  for (const [name, value] of Object.entries(now)) result.set(name, merged(result.get(name), value))
  return Object.fromEntries(result)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function viewOf(settings: AccountSettings | undefined): z.output<typeof listSchema> {
  const { receberSemChave = false, chaves } = settings?.pix ?? {}
  if (chaves === undefined) return { pix: { receberSemChave } }
  const listed = Object.entries(chaves).map(([key, one]) => [key, keyViewOf(one)] as const)
  return { pix: { receberSemChave, chaves: Object.fromEntries(listed) } }
}

function keyViewOf({ recebimento = {} }: KeySettings) {
  const { txidObrigatorio = false, recusarTipoPessoa, qrCodeEstatico } = recebimento
  return {
    recebimento: {
      txidObrigatorio,
      ...(recusarTipoPessoa !== undefined && { recusarTipoPessoa }),
      qrCodeEstatico: { recusarTodos: qrCodeEstatico?.recusarTodos ?? false },
    },
  }
}
