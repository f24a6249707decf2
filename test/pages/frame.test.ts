import { expect, it } from 'vitest'
import { startTestGateway } from '../support/gateway.ts'
import { newClient, TestBrowser } from './browser.ts'

it('leads to the sign-in, and after it to the page that was asked for', async () => {
  const gateway = await startTestGateway()
  const browser = new TestBrowser(gateway)
  const asked = await browser.get('/ui/?search=abc')
  expect([asked.status, asked.headers.location]).toEqual([303, '/ui/sign-in?next=%2Fui%2F%3Fsearch%3Dabc'])
  const { id, secret, name } = await newClient(gateway, ['events.read'])
  const signed = await browser.signIn({ id, secret, next: '/ui/?search=abc' })
  expect([signed.status, signed.headers.location]).toEqual([303, '/ui/?search=abc'])
  expect((await browser.get('/ui/')).body).toContain(name)
  const out = await browser.submit('/ui/', '/ui/sign-out')
  expect([out.status, out.headers.location]).toEqual([303, '/ui/sign-in?reason=out'])
  expect((await browser.get('/ui/')).headers.location).toBe('/ui/sign-in')
})
