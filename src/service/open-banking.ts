import { membersOf } from './answer.ts'
import { garbage } from './call.ts'
import type { ServiceClient } from './client.ts'
import { ServiceFailure } from './failure.ts'

/** Settings of the open-banking application (Document 1, endpoints 16 and 17). */
export interface OpenBankingSettings {
  readonly redirectURL: string
  readonly webhookURL: string
  /** `{"type":"mtls"}`, or `{"type":"hmac","hash":…}` in the field. */
  readonly webhookSecurity: { readonly type: string; readonly hash?: string }
  /** Only in requests: the service does not return it. */
  readonly processPayment?: string
  /** In the field; false where it is left out. */
  readonly generateTxIdForInic?: boolean
}

/** The service makes its two requests, of up to 25 s each, before it answers. */
const SETTING_MS = 90_000

/** Endpoint 17; null: the account has no settings yet. */
export async function showOpenBankingSettings(client: ServiceClient): Promise<OpenBankingSettings | null> {
  try {
    const { status, json } = await client.request('openBanking', {
      method: 'GET',
      path: '/v1/config',
      scope: 'svc.opb.config.read',
    })
    return settingsOf(client, status, json)
  } catch (error) {
    if (error instanceof ServiceFailure && error.refusal?.name === 'configuracao_nao_encontrada') return null
    throw error
  }
}

/** Endpoint 16: replaces all settings. @returns them as the service answers */
export async function putOpenBankingSettings(
  client: ServiceClient,
  settings: OpenBankingSettings,
): Promise<OpenBankingSettings> {
  const { status, json } = await client.request('openBanking', {
    method: 'PUT',
    path: '/v1/config',
    json: settings,
    timeoutMs: SETTING_MS,
    scope: 'svc.opb.config.write',
  })
  return settingsOf(client, status, json)
}

/**
 * `pix.receberSemChave` of the account's settings (Document 1, endpoint 6): it should be true where open banking is used. null: the service does not
 * say.
 */
export async function receivesWithoutKey(client: ServiceClient, segment: string): Promise<boolean | null> {
  const { json } = await client.request('account', {
    method: 'GET',
    path: `/v2/${segment}/config`,
    scope: 'svc.settings.read',
  })
  const { receberSemChave } = membersOf(membersOf(json).pix)
  return typeof receberSemChave === 'boolean' ? receberSemChave : null
}

function settingsOf(client: ServiceClient, status: number, json: unknown): OpenBankingSettings {
  const { redirectURL, webhookURL, webhookSecurity, generateTxIdForInic } = membersOf(json)
  const { type, hash } = membersOf(webhookSecurity)
  if (typeof redirectURL !== 'string' || typeof webhookURL !== 'string' || typeof type !== 'string')
    throw garbage(
      { ...client, on: 'openBanking' },
      status,
      'answered settings without redirectURL, webhookURL or webhookSecurity',
    )
  return {
    redirectURL,
    webhookURL,
    webhookSecurity: { type, ...(typeof hash === 'string' && { hash }) },
    ...(typeof generateTxIdForInic === 'boolean' && { generateTxIdForInic }),
  }
}
