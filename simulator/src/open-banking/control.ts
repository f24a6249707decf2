import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import type { Site } from '../site.ts'
import { OPEN_BANKING_STATUSES, OPEN_BANKING_TYPES } from './callback-values.ts'
import { accountsWithSettings } from './settings.ts'

/** Members of a callback in the field (service-decisions.md, open-banking callback; service-errors.md, also seen). */
const members = {
  identificadorPagamento: z.string(),
  valor: z.string().regex(/^\d{1,16}\.\d{2}$/, 'an amount with two decimals, as 150.10'),
  status: z.enum(OPEN_BANKING_STATUSES),
  dataCriacao: z.string(),
  endToEndId: z.string(),
  idProprio: z.string(),
  tipo: z.enum(OPEN_BANKING_TYPES),
  motivo: z.string().describe('Made up for rejeitado and expirado only'),
  identificadorDevolucao: z.string().describe('Made up for devolucao only'),
}

const bodySchema = z.strictObject({
  account: z
    .string()
    .optional()
    .describe('Number of the account whose callback it is; default: the only one with settings'),
  ...z.object(members).partial().shape,
})

type Given = Omit<z.output<typeof bodySchema>, 'account'>

/** Callbacks of the open-banking interface: no endpoint of the interface causes one. */
export function openBankingControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'sendOpenBankingCallback',
      method: 'post',
      path: '/open-banking/callbacks',
      summary: 'Send a callback of the open-banking interface; members that are left out are made up',
      body: bodySchema,
      answers: {
        202: {
          description: 'The callback is on its way',
          schema: z.object({ ids: z.array(z.int()), body: z.looseObject({}) }),
        },
        409: { description: 'The account has no open-banking settings' },
      },
      run({ body: { account, ...given }, site }) {
        const body = callbackOf(site, given)
        const ids = site.webhooks.publish('open-banking', accountFor(site, account), JSON.stringify(body))
        return { status: 202, json: { ids, body } }
      },
    }),
  ]
}

/** @throws ControlError 409 where no account, or more than one, is possible */
function accountFor(site: Site, given: string | undefined): string {
  const possible = accountsWithSettings(site)
  const [only] = possible
  if (only === undefined || (given !== undefined && !possible.includes(given))) {
    const who = given === undefined ? 'no account has' : `account ${given} has no`
    throw new ControlError(409, `${who} open-banking settings: an app makes them with PUT /v1/config`)
  }
  if (given === undefined && possible.length > 1)
    throw new ControlError(409, `several accounts have open-banking settings: name one (${possible.join(', ')})`)
  return given ?? only
}

function callbackOf({ clock }: Site, given: Given) {
  const { status = 'aceito', tipo = 'pagamento' } = given
  const now = new Date(clock.now()).toISOString()
  return {
    identificadorPagamento: randomUUID(),
    valor: '150.10',
    status,
    dataCriacao: now,
    endToEndId: endToEndIdAt(now),
    idProprio: randomUUID(),
    tipo,
    ...(['rejeitado', 'expirado'].includes(status) && { motivo: `Pagamento ${status}` }),
    ...(tipo === 'devolucao' && { identificadorDevolucao: randomUUID() }),
    ...given,
  }
}

/** 32 characters: E, participant, minute, and 11 characters of its own. */
function endToEndIdAt(now: string): string {
  return `E00000000${now.replace(/\D/g, '').slice(0, 12)}${randomBytes(6).toString('hex').slice(0, 11)}`
}
