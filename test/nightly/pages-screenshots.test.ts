import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { payment } from '../support/pages/callbacks.ts'
import { furnishCalmly, shippedKinds } from '../support/pages/calm.ts'
import { createMovableClock, hasFaketime, type MovableClock } from '../support/pages/movable-clock.ts'
import { type SignedIn, stateOf } from '../support/pages/people.ts'
import { type PreparedSite, prepareSite } from '../support/pages/prepared-site.ts'
import { until } from '../support/until.ts'

/** `npm run screenshots` sets it to docs/images; elsewhere the images are only tried. */
const FOLDER = process.env.PORTARIA_SCREENSHOTS ?? mkdtempSync(join(tmpdir(), 'portaria-screenshots-'))
const DOCS = resolve(import.meta.dirname, '../../docs')
const MAX_BYTES = 150_000
/** Minutes of traffic that the charts of the overview show. */
const MINUTES = 30

type Known = Awaited<ReturnType<typeof furnishCalmly>>

interface Screenshot {
  readonly at: (known: Known) => string
  readonly look?: 'dark' | 'telephone'
}

/** By the name of the file, without .png. */
const SCREENSHOTS: Readonly<Record<string, Screenshot>> = {
  find: { at: () => '/?search=150,10' },
  event: { at: ({ eventOf }) => `/events/${eventOf('1000001')}` },
  'find-telephone': { at: () => '/', look: 'telephone' },
  overview: { at: () => '/overview' },
  destinations: { at: () => '/destinations' },
}

it('docs/images has these screenshots and no others, each small, and each shown in the documentation', () => {
  const names = Object.keys(SCREENSHOTS).map((name) => `${name}.png`)
  const images = readdirSync(join(DOCS, 'images')).filter((name) => name.endsWith('.png'))
  expect(images.sort()).toEqual(names.toSorted())
  const text = ['pages.md', '../README.md'].map((file) => readFileSync(join(DOCS, file), 'utf8')).join()
  expect(names.filter((name) => !text.includes(`images/${name})`))).toEqual([])
  expect(names.filter((name) => statSync(join(DOCS, 'images', name)).size > MAX_BYTES)).toEqual([])
})

describe.skipIf(!hasChromium || !hasOpenssl)('screenshots', () => {
  let browser: Browser
  let prepared: PreparedSite
  let known: Known
  let operator: SignedIn
  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true })
    const clock = hasFaketime ? createMovableClock() : null
    ;[browser, prepared] = await Promise.all([startBrowser(), prepareSite({}, clock?.wrapper, shippedKinds())])
    for (let minute = 1; clock !== null && minute <= MINUTES; minute++) await sendAt(prepared, minute, clock)
    known = await furnishCalmly(prepared)
    await until(
      () => prepared.ask('GET', '/v1/overview'),
      ({ light }) => light === 'green',
    )
    operator = await stateOf(browser, prepared.baseURL, prepared.operator)
  }, 300_000)
  afterAll(async () => {
    await browser.close()
    await prepared.close()
    if (process.env.PORTARIA_SCREENSHOTS === undefined) rmSync(FOLDER, { recursive: true })
  })

  it.each(Object.keys(SCREENSHOTS))('%s is small enough for the repository', async (name) => {
    const { at, look } = SCREENSHOTS[name] as Screenshot
    const viewport = look === 'telephone' ? { width: 360, height: 740 } : { width: 1280, height: 800 }
    const colorScheme = look === 'dark' ? 'dark' : 'light'
    const options = { baseURL: prepared.baseURL, storageState: operator, timezoneId: 'America/Sao_Paulo', viewport }
    const file = join(FOLDER, `${name}.png`)
    await visit(browser, { ...options, colorScheme }, async (page) => {
      await page.goto(`/ui${at(known)}`)
      await settled(page)
      const paths = await page.getByText(tmpdir()).all()
      for (const path of paths) expect((await path.boundingBox())?.y).toBeGreaterThan(viewport.height)
      await page.screenshot({ path: file, animations: 'disabled' })
    })
    shrink(file)
    expect(statSync(file).size).toBeLessThan(MAX_BYTES)
  })

  it('they are of a green overview, and of events with their amounts', async () => {
    await visit(browser, { baseURL: prepared.baseURL, storageState: operator }, async (page) => {
      await page.goto('/ui/overview')
      expect(await page.locator('main').innerText()).toContain('Green: all is well')
      await page.goto(`/ui${SCREENSHOTS.find?.at(known)}`)
      const rows = await page.locator('summary:has(small)').allInnerTexts()
      expect(rows.length).toBeGreaterThan(3)
      expect(rows.filter((row) => !/R\$\s?150.10/.test(row))).toEqual([])
    })
  })
})

/** Some payments of this minute, more in the middle than at both ends. */
async function sendAt({ send }: PreparedSite, minute: number, clock: MovableClock): Promise<void> {
  clock.set(`+${minute}m`)
  // The program reads its clock once a second, after which it needs a moment.
  await setTimeout(2100)
  const count = 2 + Math.round(6 * Math.sin((Math.PI * minute) / MINUTES) + (minute % 3))
  await send(
    Array.from({ length: count }, (_, n) => ({
      path: '/callbacks/payment',
      body: payment(`${500_000 + 100 * minute + n}`, 'LIQUIDADO', '80.00'),
    })),
  )
}

/** Plots are drawn by then. */
async function settled(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

/** Fewer colours, where pngquant is installed; a page without photographs is small enough without it. */
function shrink(file: string): void {
  spawnSync('pngquant', ['--force', '--skip-if-larger', '--strip', '--output', file, '--', file])
}
