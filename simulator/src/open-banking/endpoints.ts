import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { problem } from '../http/service-error.ts'
import type { Site } from '../site.ts'
import { addressProblem } from '../webhooks/address-problems.ts'
import type { AddressFault } from '../webhooks/two-requests.ts'
import { invalidSettings, type OpenBankingSettings, settingsBody, settingsSchema } from './schema.ts'
import { keepOpenBankingSettings, openBankingSettings } from './settings.ts'

/** Open-banking settings of an account: Document 1, endpoints 16 and 17. */
export function openBankingEndpoints(site: Site): Endpoint[] {
  return [
    endpoint({
      number: '1:16',
      id: 'putOpenBankingSettings',
      method: 'put',
      path: '/v1/config',
      scope: 'svc.opb.config.write',
      summary: 'Set the addresses and the security of the callbacks; replaces all settings',
      body: settingsBody,
      answers: {
        201: { description: 'Set', schema: settingsSchema },
        400: { description: 'A value is missing, or the address accepts callers without a certificate' },
        422: { description: 'A value is not valid, or the address cannot be reached' },
      },
      invalid: (error, _part, body) => invalidSettings(error, body),
      async run({ body, application }) {
        await requireAddress(site, body)
        keepOpenBankingSettings(site, application.account, body)
        return { status: 201, json: viewOf(body) }
      },
    }),
    endpoint({
      number: '1:17',
      id: 'showOpenBankingSettings',
      method: 'get',
      path: '/v1/config',
      scope: 'svc.opb.config.read',
      summary: 'Show the settings',
      answers: {
        200: { description: 'The settings', schema: settingsSchema },
        404: { description: 'The account has no settings yet' },
      },
      run({ application }) {
        const settings = openBankingSettings(site, application.account)
        if (settings !== undefined) return { status: 200, json: viewOf(settings) }
        throw problem(404, 'configuracao_nao_encontrada', 'Nenhuma configuração foi feita ainda.')
      },
    }),
  ]
}

/** With mutual TLS the service makes the two requests; with hmac none. @throws ServiceError 400 or 422 */
async function requireAddress(site: Site, { webhookURL, webhookSecurity }: OpenBankingSettings): Promise<void> {
  const url = new URL(webhookURL)
  if (url.protocol !== 'https:') throw badAddress(site, 'not_https')
  if (webhookSecurity.type === 'hmac') return
  const timeoutMs = site.settings.webhooks.openBankingTimeoutSeconds * 1000
  const verdict = await site.webhooks.judge(url, { skipFirst: false, timeoutMs })
  if (!verdict.ok) throw badAddress(site, verdict.reason, verdict.detail)
}

/** The sentence says what happened; the names are those of service-errors.md for endpoint 16. */
function badAddress({ settings }: Site, fault: AddressFault | 'not_https', detail = '') {
  const general = addressProblem(settings.errors, fault, detail)
  if (settings.errors === 'strict') return general
  const { mensagem } = general.body as { mensagem: string }
  return fault === 'accepted_without_certificate'
    ? problem(400, 'webhook_url_mtls_obrigatorio', mensagem)
    : problem(422, 'webhook_url_invalido', mensagem)
}

function viewOf({ processPayment, ...settings }: OpenBankingSettings): Omit<OpenBankingSettings, 'processPayment'> {
  return settings
}
