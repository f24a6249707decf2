import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { MAIN } from '../support/gateway.ts'

/** `npm run screenshots` sets it to simulator/docs/images; elsewhere the images are only tried. */
const FOLDER =
  process.env.PORTARIA_PLAYGROUND_SCREENSHOTS ?? mkdtempSync(join(tmpdir(), 'portaria-playground-screenshots-'))
const DOCS = resolve(import.meta.dirname, '../../simulator/docs')
const MAX_BYTES = 150_000

/** What is done before a picture, by the name of the file without .png. */
const SCREENSHOTS: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  async 'playground-start'(page) {
    await page.goto('/playground/')
  },
  async 'playground-arrival'(page) {
    await page.goto('/playground/')
    await page.getByRole('button', { name: 'Register the local gateway and send a first payment' }).click()
    await page.locator('[data-stored="LIQUIDADO"]').waitFor()
    for (const open of await page.getByText('on its way').all()) await open.waitFor({ state: 'detached' })
  },
  async 'playground-endpoint'(page) {
    await page.goto('/playground/endpoints/charges/createPlan')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('#output [data-status]').waitFor()
    await page.evaluate('scrollTo(0, 0)')
  },
}

it('simulator/docs/images has these screenshots and no others, each small, and each shown in the tour', () => {
  const names = Object.keys(SCREENSHOTS).map((name) => `${name}.png`)
  const images = readdirSync(join(DOCS, 'images')).filter((name) => name.endsWith('.png'))
  expect(images.sort()).toEqual(names.toSorted())
  const text = readFileSync(join(DOCS, 'playground.md'), 'utf8')
  expect(names.filter((name) => !text.includes(`images/${name})`))).toEqual([])
  expect(names.filter((name) => statSync(join(DOCS, 'images', name)).size > MAX_BYTES)).toEqual([])
})

describe.skipIf(!hasChromium)('screenshots of the playground', () => {
  let browser: Browser
  let child: ChildProcess
  let started: { readonly playground: string; readonly folder: string }
  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true })
    child = spawn(process.execPath, [MAIN, 'playground', '--any-ports', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }), 'line')
    started = JSON.parse(line)
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    if (process.env.PORTARIA_PLAYGROUND_SCREENSHOTS === undefined) rmSync(FOLDER, { recursive: true })
  })

  it.each(Object.keys(SCREENSHOTS))('%s is small enough for the repository', async (name) => {
    const file = join(FOLDER, `${name}.png`)
    const viewport = { width: 1080, height: name === 'playground-endpoint' ? 960 : 720 }
    await visit(
      browser,
      { baseURL: new URL(started.playground).origin, viewport, colorScheme: 'light' },
      async (page) => {
        await SCREENSHOTS[name]?.(page)
        // The picture shows the folder of the documentation, not that of this run.
        const folder = JSON.stringify(started.folder)
        await page.evaluate(
          `for (const one of document.querySelectorAll('code')) one.textContent = one.textContent.replaceAll(${folder}, 'data/playground')`,
        )
        await page.screenshot({ path: file, animations: 'disabled' })
      },
    )
    shrink(file)
    expect(statSync(file).size).toBeLessThan(MAX_BYTES)
  })
})

/** Fewer colours, where pngquant is installed. */
function shrink(file: string): void {
  spawnSync('pngquant', ['--force', '--skip-if-larger', '--strip', '--output', file, '--', file])
}
