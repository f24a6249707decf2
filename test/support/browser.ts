import { spawnSync } from 'node:child_process'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core'
import { expect } from 'vitest'

const CHROMIUM = '/usr/bin/chromium'

/** Debian's Chromium: `describe.skipIf(!hasChromium)`. */
export const hasChromium = spawnSync(CHROMIUM, ['--version']).status === 0

/** As root, as in the gate, Chromium has no sandbox. */
export function startBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: !isRoot, args: isRoot ? ['--no-sandbox'] : [] })
}

export interface VisitOptions extends BrowserContextOptions {
  /** Text of a page's console, or URL of a request, that the test causes on purpose. */
  readonly expected?: readonly RegExp[]
}

/**
 * A session of its own at an origin (`baseURL`), with a page for the test. What no page of the gateway may do fails the test: to break the content
 * security policy, throw an error, write an error or a warning to the console, open a dialog, and have a request fail or ask another origin.
 */
export async function visit<T>(
  browser: Browser,
  { expected = [], ...options }: VisitOptions & { baseURL: string },
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ locale: 'en-GB', ignoreHTTPSErrors: true, ...options })
  const problems: string[] = []
  const report = (text: string) => {
    if (!expected.some((pattern) => pattern.test(text))) problems.push(text)
  }
  try {
    await context.addInitScript({ content: REPORT_VIOLATIONS })
    context.on('page', (page) => watchPage(page, report))
    context.on('request', (request) => {
      if (isOutside(request.url(), options.baseURL)) report(`request to another origin: ${request.url()}`)
    })
    context.on('requestfailed', (request) => {
      if (!isAbandoned(request)) report(`request failed: ${request.url()} ${request.failure()?.errorText}`)
    })
    context.setDefaultTimeout(LIMIT_MS)
    const result = await use(await context.newPage())
    expect(problems).toEqual([])
    return result
  } catch (error) {
    // What the page did wrong is often the cause of what the test missed.
    if (problems.length > 0 && error instanceof Error)
      error.message += `\nThe browser reported: ${[...new Set(problems)].slice(0, 10).join('\n')}`
    throw error
  } finally {
    await context.close()
  }
}

/** The console has violations of a document too; the event also comes from what a page inserts. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  console.error('content security policy: ' + effectiveDirective + ' ' + blockedURI))`

function watchPage(page: Page, report: (text: string) => void): void {
  page.on('pageerror', (error) => report(`error in the page: ${error.stack ?? error.message}`))
  page.on('dialog', (dialog) => {
    report(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) report(`console: ${message.text()} ${message.location().url}`)
  })
}

function isOutside(url: string, baseURL: string): boolean {
  return (
    !['data:', 'blob:', 'about:'].includes(new URL(url).protocol) && new URL(url).origin !== new URL(baseURL).origin
  )
}

/** For what a page shows; much on a busy machine. */
const LIMIT_MS = 30_000

/** The page left while it was loading, or while it listened to a stream. */
function isAbandoned(request: Request): boolean {
  return request.failure()?.errorText === 'net::ERR_ABORTED'
}
