import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Opens these events: nothing of their payloads runs, and no link leaves the gateway. Returns all that is shown. */
export async function showEvents(page: Page, baseURL: string, ids: readonly string[]): Promise<string> {
  const shown: string[] = []
  for (const id of ids) {
    await page.goto(`/ui/events/${id}`)
    shown.push(await page.getByRole('main').innerText())
    expect(await page.evaluate('globalThis.harm'), id).toBeUndefined()
    const links = await page.locator('a').evaluateAll((all) => all.map(String))
    expect(
      links.filter((link) => !link.startsWith(baseURL)),
      id,
    ).toEqual([])
  }
  return shown.join('\n')
}
