import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Language } from '../../../src/messages/languages.ts'
import { speaker } from '../../../src/messages/speaker.ts'
import { visit } from '../browser.ts'
import type { Credentials } from './prepared-site.ts'

/** Signs in on the page where the browser is, and waits for the next page. */
export async function signIn(page: Page, { id, secret }: Credentials, language: Language = 'en'): Promise<void> {
  const t = speaker(language)
  await page.getByLabel(t.in('sign-in')`Client id`).fill(id)
  await page.getByLabel(t`Secret`).fill(secret)
  await page.getByRole('button', { name: t`Sign in`, exact: true }).click()
  await page.getByRole('button', { name: t`Sign out`, exact: true }).waitFor()
}

/** Opens a page below /ui as this person, over the sign-in. */
export async function openAs(page: Page, person: Credentials, path = '/ui/', language: Language = 'en'): Promise<void> {
  await page.goto(path)
  await signIn(page, person, language)
}

export type SignedIn = NonNullable<BrowserContextOptions['storageState']>

/** What `visit` takes as `storageState`, so that each visit begins signed in: the sign-in itself is tested once. */
export function stateOf(browser: Browser, baseURL: string, person: Credentials): Promise<SignedIn> {
  return visit(browser, { baseURL }, async (page) => {
    await openAs(page, person)
    return page.context().storageState()
  })
}
