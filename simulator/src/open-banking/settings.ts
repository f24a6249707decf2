import type { Site } from '../site.ts'
import type { OpenBankingSettings } from './schema.ts'

/** The settings of an account; undefined: it has none yet. */
export function openBankingSettings(site: Site, account: string): OpenBankingSettings | undefined {
  return collectionOf(site).get(account)
}

/** Replaces the settings, and the address that callbacks of the account go to, those that wait included. */
export function keepOpenBankingSettings(site: Site, account: string, settings: OpenBankingSettings): void {
  site.records.transaction(() => {
    collectionOf(site).put(account, settings)
    const { registered, move, register } = site.webhooks
    const known = registered.list().find((one) => one.interface === 'open-banking' && one.account === account)
    const url = callbackUrlOf(settings)
    const hasHash = settings.webhookSecurity.type === 'hmac'
    if (known === undefined) register({ interface: 'open-banking', account, url, hasHash })
    else move({ ...known, hasHash }, url)
  })
}

/** The registered URL; with hmac, the hash is a parameter at the end of its query (service-decisions.md). */
export function callbackUrlOf({ webhookURL, webhookSecurity }: OpenBankingSettings): string {
  if (webhookSecurity.type === 'mtls') return webhookURL
  const url = new URL(webhookURL)
  const parameter = `hmac=${encodeURIComponent(webhookSecurity.hash)}`
  url.search = url.search === '' ? parameter : `${url.search}&${parameter}`
  return url.href
}

/** Numbers of the accounts that have settings. */
export function accountsWithSettings(site: Site): string[] {
  return site.applications
    .accounts()
    .map(({ number }) => number)
    .filter((number) => openBankingSettings(site, number) !== undefined)
}

function collectionOf(site: Site) {
  return site.collection<OpenBankingSettings>('open-banking-settings')
}
