import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { accessibilityFindings } from '../support/pages/axe.ts'

const SCRIPTS: Readonly<Record<string, string>> = {
  '/alert.js': 'alert("harm")',
  '/throw.js': 'throw new Error("harm")',
  '/warn.js': 'console.warn("harm")',
}

/** A page by its body, under the policy of the gateway's pages. */
async function serve(body: string, status = 200): Promise<string> {
  const server = createServer((request, response) => {
    const script = SCRIPTS[request.url ?? '']
    if (script !== undefined) return void response.setHeader('content-type', 'text/javascript').end(script)
    if (request.url !== '/') return void response.writeHead(404).end()
    response.writeHead(status, { 'content-type': 'text/html', 'content-security-policy': "script-src 'self'" })
    response.end(`<!doctype html><title>Page</title><link rel="icon" href="data:,">${body}`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.skipIf(!hasChromium)('the guard of the browser tests', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())

  const open = async (baseURL: string, expected: RegExp[] = []) =>
    visit(browser, { baseURL, expected }, async (page) => {
      await page.goto('/')
      await page.evaluate('new Promise(requestAnimationFrame)')
    })

  it('passes a page that does nothing wrong', async () => {
    await open(await serve('<h1>Good</h1>'))
  })

  it.each([
    ['an inline script', '<script>window.harm = true</script>', /content security policy: script-src-elem inline/],
    [
      'an inline handler',
      '<img src="data:," onerror="window.harm = true">',
      /content security policy: script-src-attr/,
    ],
    ['a request to another origin', '<img src="http://127.0.0.1:9/harm.png">', /another origin: .*harm\.png/],
    ['a dialog', '<script src="/alert.js"></script>', /dialog: harm/],
    ['an error', '<script src="/throw.js"></script>', /error in the page: Error: harm/],
    ['a warning', '<script src="/warn.js"></script>', /console: harm/],
    ['a missing file', '<img src="/missing.png">', /console: Failed to load resource.*404/],
  ])('finds %s', async (_, body, problem) => {
    await expect(open(await serve(body))).rejects.toThrow(problem)
  })

  it('has an independent judge of accessibility that finds what cannot be read', async () => {
    const baseURL = await serve('<style>p { color: #ddd }</style><h1>Hard</h1><p>to read</p><input><img src="data:,">')
    const findings = await visit(browser, { baseURL }, async (page) => {
      await page.goto('/')
      return accessibilityFindings(page)
    })
    expect(findings.map((finding) => finding.split(':')[0]).sort()).toEqual([
      ...['color-contrast', 'html-has-lang', 'image-alt', 'label'],
    ])
  })

  it('lets pass what the test expects', async () => {
    await open(await serve('<h1>Not found</h1>', 404), [/404/])
  })
})
