import { expect, it } from 'vitest'
import type { SubjectView } from '../../src/api/subjects/view.ts'
import { sumsOf } from '../../src/pages/find/person.ts'
import { callApi, callBack } from '../support/calls.ts'
import { startTestGateway } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { textIn } from './api-pages.ts'
import { newClient, TestBrowser } from './browser.ts'

const MARIA = { nome: 'Maria Souza', cpf: '123.456.789-09' }

const bodyOf = (id: string, atual: string, more: object = {}) =>
  JSON.stringify({ identificador: id, status: { atual }, valor: '150.10', ...more })

/** A payment of Maria in three events, which `books` has and `erp` does not accept. */
async function withPayment() {
  const gateway = await startTestGateway()
  const [books, erp] = [await startReceiver(), await startReceiver()]
  erp.answer(500)
  for (const [name, { url }] of [['books', books] as const, ['erp', erp] as const])
    await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name, url } })
  for (const status of ['CRIADO', 'EXECUTADO', 'LIQUIDADO'])
    await callBack(gateway, { body: bodyOf('7033', status, { pagador: MARIA }) })
  await callBack(gateway, { path: '/callbacks/charge', body: '{"charge_id":9,"status":"paid"}' })
  const signedIn = async (scopes: Parameters<typeof newClient>[1]) => {
    const browser = new TestBrowser(gateway)
    await browser.signIn(await newClient(gateway, scopes))
    return browser
  }
  return { gateway, signedIn }
}

const isSettled = ({ body }: { body: string }) => body.includes('HTTP 500') && body.includes('in books')

it('a payment is one line: who, how much, its status in words, and where it is; its events open below it', async () => {
  const { signedIn } = await withPayment()
  const browser = await signedIn(['events.read', 'support.read', 'operations.read'])
  const { body } = await until(() => browser.get('/ui/?kind=payment'), isSettled)
  const lines = [...body.matchAll(/<li><details><summary>([\s\S]*?)<\/summary>([\s\S]*?)<\/details>/g)]
  expect(lines).toHaveLength(1)
  const [summary = '', below = ''] =
    lines[0]?.slice(1).map((part, at) => (at === 0 ? textIn(`<main>${part}</main>`) : part)) ?? []
  expect(summary).toMatch(/^Maria Souza ?payment · 7033/)
  expect(summary).toContain('R$150.10')
  expect(summary).toContain('settled LIQUIDADO')
  expect(summary).toMatch(/erp does not accept it \(HTTP 500\), next try \d{4}-/)
  expect(summary).toContain('in books')
  // One of each event, and that of the payment.
  expect(below.match(/href="\/ui\/events\/evt_/g)).toHaveLength(4)
  expect(below).toContain('The gateway tries again by itself. Who runs erp must correct why it answers so.')
  expect(below).toContain('href="/ui/person?number=12345678909"')
  expect(body).not.toMatch(/<script(?! type="module" src="\/ui\/assets)|style=|onclick/)
})

it('a support person sees the line without the payer, and finds it by the whole CPF', async () => {
  const { signedIn } = await withPayment()
  const browser = await signedIn(['support.read'])
  const { body } = await until(() => browser.get('/ui/?search=12345678909'), isSettled)
  const text = textIn(body)
  for (const personal of ['Maria', 'Souza', '123.456']) expect(text).not.toContain(personal)
  expect(text).toContain('7033')
  const { body: person } = await browser.get('/ui/person?number=123.456.789-09', { 'accept-language': 'pt-BR' })
  expect(textIn(person)).toContain('LIQUIDADO')
  expect(person).not.toContain('Souza')
})

it('a person’s page has everything of a CPF with sums by status; another text is corrected in place', async () => {
  const { gateway, signedIn } = await withPayment()
  await callBack(gateway, { body: bodyOf('7034', 'LIQUIDADO', { pagador: MARIA }) })
  await callBack(gateway, { body: bodyOf('7035', 'LIQUIDADO', { pagador: { nome: 'João', cpf: '98765432100' } }) })
  const browser = await signedIn(['events.read'])
  const { body } = await until(
    () => browser.get('/ui/person?number=12345678909', { 'accept-language': 'pt-BR' }),
    (page) => page.body.includes('7034'),
  )
  const text = textIn(body)
  expect(text).toContain('CPF ou CNPJ 123.456.789-09')
  expect(text).toMatch(/pagamento · payment\s*LIQUIDADO\s*2\s*R\$\s300,20/)
  expect([text.includes('7033'), text.includes('7035')]).toEqual([true, false])
  expect(textIn((await browser.get('/ui/person?number=maria')).body)).toContain(
    'This is no CPF and no CNPJ: type all 11 or 14 digits.',
  )
  expect(textIn((await browser.get('/ui/person?number=00000000000')).body)).toContain(
    'Nothing is stored about this number.',
  )
})

it('sums are exact, and have no amount where there is none', () => {
  const one = (status: string, amount: string | null) => ({ kind: 'payment', status, amount }) as unknown as SubjectView
  const sums = sumsOf([
    one('A', '0.10'),
    one('A', '0.20'),
    one('A', '-90071992547409.93'),
    one('B', null),
    one('A', null),
  ])
  expect(sums).toEqual([
    { kind: 'payment', status: 'A', count: 4, cents: -9007199254740963n },
    { kind: 'payment', status: 'B', count: 1, cents: null },
  ])
})

it('the CSV file has a row for each payment, in the words of the page', async () => {
  const { signedIn } = await withPayment()
  const browser = await signedIn(['events.read', 'operations.read'])
  const get = () => browser.get('/ui/events.csv?kind=payment&zone=UTC', { 'accept-language': 'pt-BR' })
  const { body, headers } = await until(get, (file) => file.body.includes('HTTP 500') && file.body.includes('em books'))
  expect(headers['content-disposition']).toBe('attachment; filename="payments.csv"')
  const [head, row, ...rest] = body.replace('\ufeff', '').split('\r\n')
  expect(head).toBe('Onde está;Mudou (UTC);Pagador;Tipo;Instituição;Ambiente;Identificador;Status;Valor')
  expect(row).toMatch(
    /^"?erp não aceita \(HTTP 500\), próxima tentativa [\d: -]+; em books"?;[\d: -]+;Maria Souza;pagamento;;produção;'7033;LIQUIDADO;150,10$/,
  )
  expect(rest).toEqual([''])
})

it('times are written as the language of the page writes them, with the exact time beside', async () => {
  const { signedIn } = await withPayment()
  const browser = await signedIn(['events.read'])
  const { body } = await browser.get('/ui/', { 'accept-language': 'pt-BR' })
  expect(body).toMatch(/<time datetime="\d{4}-\d\d-\d\dT[^"]+">\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d<\/time>/)
  expect((await browser.get('/ui/')).body).toMatch(/<time datetime="[^"]+">\d{4}-\d\d-\d\d \d\d:\d\d:\d\d<\/time>/)
  expect(textIn(body)).toContain(
    'Pagamentos, cobranças e cadastros, a mudança mais nova primeiro'.length > 0 ? 'Onde está' : '',
  )
})

it('a page of 25 payments with three events each takes at most 60 KB in the browser', async () => {
  const { gateway, signedIn } = await withPayment()
  for (let n = 0; n < 75; n++)
    await callBack(gateway, { body: bodyOf(`7978c0c97ea847e78e884963447${n % 25}`, `S${n}`, { pagador: MARIA, n }) })
  const browser = await signedIn(['events.read', 'support.read', 'operations.read', 'events.replay'])
  const { body } = await browser.get('/ui/?kind=payment')
  expect(body.match(/<li><details><summary>/g)).toHaveLength(25)
  const files = [...body.matchAll(/(?:href|src)="(\/ui\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  const imported = files
    .filter((path) => path.endsWith('/common.js'))
    .flatMap((path) => ['connection.js', 'keys.js'].map((name) => path.replace('common.js', name)))
  const sizes = await Promise.all(
    [...files, ...imported].map(async (path) => {
      const { headers } = await browser.get(path, { 'accept-encoding': 'gzip' })
      expect(headers['content-encoding']).toBe('gzip')
      return Number(headers['content-length'])
    }),
  )
  expect(Buffer.byteLength(body) + sizes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(60_000)
})
