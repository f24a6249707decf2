import { beforeEach, expect, it } from 'vitest'
import { simulatorForFile } from '../running.ts'
import { carnetClient } from './carnet-client.ts'

const running = simulatorForFile()
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = carnetClient(running, 'sandbox')
const production = carnetClient(running, 'production')
const open = (url: string) => running().askRaw(url, {})
const WATERMARK = 'TEST - NOT VALID - CANNOT BE PAID'

/** The texts of each page of a PDF, in their order. */
function pagesOf(file: string): string[] {
  const kids = [...(/\/Kids \[([^\]]*)\]/.exec(file)?.[1] ?? '').matchAll(/(\d+) 0 R/g)].map(([, id]) => id)
  return kids.map((id) => {
    const [, contents] = new RegExp(`\n${id} 0 obj\n.*/Contents (\\d+) 0 R`).exec(file) ?? []
    return new RegExp(`\n${contents} 0 obj\n[\\s\\S]*?endstream`).exec(file)?.[0] ?? ''
  })
}

it('the PDF of a carnet has a page for each parcel, opened without credentials', async () => {
  const { json } = await production.create({ message: 'Thanks', repeats: 3 })
  const { status, headers, text } = await open(json.data.pdf.carnet)
  expect([status, headers['content-type'], text.slice(0, 5)]).toEqual([200, 'application/pdf', '%PDF-'])
  const { charges, carnet_id } = json.data
  const pages = pagesOf(text)
  expect(pages).toHaveLength(3)
  for (const [index, { barcode, expire_at }] of charges.entries()) {
    for (const part of [barcode, expire_at, 'Thanks', `(Parcel ${index + 1} of carnet ${carnet_id}) Tj`])
      expect(pages[index]).toContain(part)
    expect(pages[index]).not.toContain(WATERMARK)
  }
})

it('every page of a PDF of the sandbox has the watermark', async () => {
  const { json } = await sandbox.create()
  for (const url of [json.data.pdf.carnet, json.data.pdf.cover, json.data.charges[1].pdf.charge])
    for (const page of pagesOf((await open(url)).text)) expect(page).toContain(WATERMARK)
  for (const url of [json.data.link, json.data.cover, json.data.charges[1].url])
    expect((await open(url)).text).toContain(WATERMARK)
})

it('the cover has payer, items, total and due dates, as a page and as a PDF', async () => {
  const items = [{ name: 'Salt & (pepper)', value: 1_000, amount: 3 }]
  const { json } = await production.create({ items, split_items: true })
  const [page, pdf] = [await open(json.data.cover), await open(json.data.pdf.cover)]
  expect([page.status, pdf.status]).toEqual([200, 200])
  for (const part of ['Ana Souza', 'Total: R$ 30.00 in 3 parcels', '2: R$ 10.00, due 2026-04-10']) {
    expect(page.text).toContain(part)
    expect(pdf.text).toContain(part)
  }
  expect(page.text).toContain('3 x Salt &#38; (pepper): R$ 10.00')
  expect(pdf.text).toContain('3 x Salt & \\(pepper\\): R$ 10.00')
})

it('the page lists the parcels with their status, and its button prints those that are not cancelled', async () => {
  const { json } = await production.create()
  const [first, second] = json.data.charges.map(({ charge_id }: { charge_id: number }) => charge_id)
  await production.cancel(first)
  const page = await open(json.data.link)
  expect([page.status, page.text]).toEqual([200, expect.stringContaining(json.data.charges[2].url)])
  expect(page.text).toContain('R$ 100.00, due 2026-03-10, canceled')
  const printed = await running().askRaw(json.data.link, {
    method: 'POST',
    body: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(printed.text).toContain('due 2026-04-10, waiting, printed')
  await production.cancel(second)
  const payments = [
    await production.pay(first, { place: 'bank_agency' }),
    await production.pay(second, { place: 'bank_agency' }),
  ]
  expect(payments.map(({ status }) => status)).toEqual([409, 200])
})

it('an unknown address is 404', async () => {
  const { json } = await sandbox.create()
  const unknown = json.data.link.replace(/[0-9a-f]{32}$/, '0'.repeat(32))
  const urls = [unknown, `${unknown}.pdf`, `${unknown}/cover`, `${unknown}/cover.pdf`]
  expect((await Promise.all(urls.map(open))).map(({ status }) => status)).toEqual(Array(4).fill(404))
})
