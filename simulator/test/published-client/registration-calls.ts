import { openingRequest } from '../registration/opening-request.ts'
import type { Caller } from './calls.ts'

/** Openings of accounts and their webhooks: Document 1, endpoints 13 to 15 and 18 to 21. Ends as the opened account. */
export async function registrationCalls({ call, callAs, control, surroundings, Client }: Caller): Promise<void> {
  const { receiver, options } = surroundings
  const webhookUrl = `${receiver}/registration`
  const { identificadorWebhook } = await call('accountConfigWebhook', 'new address', { webhookUrl })
  const moved = { url: `${receiver}/moved`, chave: identificadorWebhook }
  await call('accountConfigWebhook', 'moved address', moved)
  await call('accountDetailWebhook', 'moved address', { identificadorWebhook })
  await call('accountListWebhook', 'second page of one', {
    inicio: '2026-01-01T00:00:00-03:00',
    fim: '2026-12-31T23:59:59Z',
    'paginacao.paginaAtual': 1,
    'paginacao.itensPorPagina': 10,
  })

  const { contaSimplificada } = await call('createAccount', 'person', openingRequest())
  const idContaSimplificada = contaSimplificada.identificador
  await control('POST', `/openings/${idContaSimplificada}/accept`, {})
  await control('POST', '/clock/advance', { by: '2m' })
  const { clientId, clientSecret } = await call('getAccountCredentials', 'open', { idContaSimplificada })
  const certificate = await call('createAccountCertificate', 'open', { idContaSimplificada })
  const opened = new Client({
    sandbox: options.sandbox,
    client_id: clientId,
    client_secret: clientSecret,
    certificate,
    cert_base64: true,
  })
  await callAs(opened, 'getAccountBalance', 'opened account', {})

  await call('accountDeleteWebhook', 'known identifier', { identificadorWebhook })
  const list = { inicio: '2026-01-01T00:00:00Z', fim: '2026-12-31T23:59:59Z' }
  await call('accountListWebhook', 'no address', list)
}

/** Open-banking settings: Document 1, endpoints 16 and 17. */
export async function openBankingCalls({ call, surroundings }: Caller): Promise<void> {
  const addresses = { redirectURL: 'https://app.example.com/back', webhookURL: `${surroundings.receiver}/open-banking` }
  const mtls = { ...addresses, webhookSecurity: { type: 'mtls' }, processPayment: 'sync', generateTxIdForInic: true }
  await call('ofConfigUpdate', 'mutual TLS', mtls)
  await call('ofConfigDetail', 'mutual TLS', {})
  const hmac = { ...addresses, webhookSecurity: { type: 'hmac', hash: 'abc' }, processPayment: 'async' }
  await call('ofConfigUpdate', 'hmac', hmac)
  await call('ofConfigDetail', 'hmac', {})
}
