import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { PAGES } from '../../src/pages/pages.ts'
import { TestBrowser } from '../pages/browser.ts'
import { startTestGateway } from '../support/gateway.ts'
import { eventIdsOf, filledSite, NOW } from './filled-site.ts'
import { stable } from './stable.ts'

/** Where each page shows something, below /ui. */
const ADDRESSES: Readonly<Record<string, string>> = {
  '/events/:id': '/events/EVENT_1',
  '/events/:id/deliveries': '/events/EVENT_1/deliveries',
  '/traffic': '/traffic?span=year',
  '/person': '/person?number=123.456.789-09',
  '/destinations/:id': '/destinations/dst_1',
  '/destinations/:id/edit': '/destinations/dst_1/edit',
  '/clients/:id': '/clients/cli_sh0p000000',
  '/consumers/:owner/:name': '/consumers/operator/books',
  '/replays/new': '/replays/new?destination=archive&mode=all&kinds=registration',
  '/replays/:id': '/replays/rpl_1',
  '/quarantine/:id': '/quarantine/qtn_1',
  '/refusals/:id': '/refusals/rfs_2',
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

it('pages are what they were before, in both languages; --update writes it', { timeout: 300_000 }, async () => {
  vi.stubEnv('TZ', 'UTC')
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  const site = await filledSite()
  const ids = await eventIdsOf(site)
  const gateway = await startTestGateway(site)
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const shown = async (address: string, language: string) => {
    const path = `/ui${address.replace(/EVENT_\d+/, (name) => ids.get(name) ?? name)}`
    const { status, body } = await browser.get(path, { 'accept-language': language })
    return stable([`HTTP ${status}`, ...linesOf(body)].join('\n'), site, gateway.api.port)
  }
  for (const { page } of PAGES) {
    const address = ADDRESSES[page.path] ?? page.path
    const [en, pt] = [await shown(address, 'en'), await shown(address, 'pt')]
    const name = page.path === '/' ? 'find' : page.path.slice(1).replaceAll(/[/:]+/g, '-')
    await expect.soft(paired(en, pt)).toMatchFileSnapshot(join(import.meta.dirname, `outputs/pages/${name}.txt`))
  }
})

/** The main element, a line for each tag and for each text. */
function linesOf(body: string): string[] {
  const main = body
    .slice(body.indexOf('<main'), body.indexOf('</main>'))
    // A fingerprint in two parts, the space on the disk, and the numbers of fields, which go on from page to page.
    .replaceAll(/<span>[0-9a-f]{58}<\/span>[0-9a-f]{6}/g, `<span>${'f'.repeat(58)}</span>ffffff`)
    .replaceAll(/\d+([.,])\d GiB/g, '0$10 GiB')
    .replaceAll(/((?:id|for|aria-\w+)="[a-z]+)-\d+"/g, '$1-N"')
  return main
    .split(/(?<=>)|(?=<)/)
    .map((line) => line.trim())
    .filter(Boolean)
}

/** English, and below each line its Portuguese where that differs; the Portuguese page behind the English one if lines do not correspond. */
function paired(en: string, pt: string): string {
  const [english, portuguese] = [en.split('\n'), pt.split('\n')]
  if (english.length !== portuguese.length) return `${en}\n\n== pt\n${pt}\n`
  return english
    .map((line, index) => (line === portuguese[index] ? `${line}\n` : `${line}\npt: ${portuguese[index]}\n`))
    .join('')
}
