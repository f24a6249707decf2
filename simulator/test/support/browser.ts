import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core'
import { expect } from 'vitest'

/** Without the part that draws windows it opens a page in half the time. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) => existsSync(file)) ?? ''

/** One of Debian's Chromium: `describe.skipIf(!hasChromium)`. */
export const hasChromium = CHROMIUM !== ''

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
  options: VisitOptions & { baseURL: string },
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const session = await openSession(browser, options)
  try {
    return await session.use(use)
  } finally {
    await session.close()
  }
}

export interface BrowserSession {
  /** As `visit`, with the page of the session. */
  use<T>(use: (page: Page) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** For several tests that each begin with an address: a session of each would load every asset again. */
export async function openSession(
  browser: Browser,
  { expected = [], ...options }: VisitOptions & { baseURL: string },
): Promise<BrowserSession> {
  const context = await browser.newContext({ locale: 'en-GB', ignoreHTTPSErrors: true, ...options })
  const problems: string[] = []
  const report = (text: string) => {
    if (!expected.some((pattern) => pattern.test(text))) problems.push(text)
  }
  await context.addInitScript({ content: REPORT_VIOLATIONS })
  context.on('page', (page) => watchPage(page, report))
  context.on('request', (request) => {
    if (isOutside(request.url(), options.baseURL)) report(`request to another origin: ${request.url()}`)
  })
  context.on('requestfailed', (request) => {
    if (!isAbandoned(request)) report(`request failed: ${request.url()} ${request.failure()?.errorText}`)
  })
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  return {
    async use(use) {
      problems.length = 0
      try {
        const result = await use(page)
        expect(problems).toEqual([])
        return result
      } catch (error) {
        // What the page did wrong is often the cause of what the test missed.
        if (problems.length > 0 && error instanceof Error)
          error.message += `\nThe browser reported: ${[...new Set(problems)].slice(0, 10).join('\n')}`
        throw error
      }
    },
    close: () => context.close(),
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
