import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { describe, expect, it } from 'vitest'
import type { Environment } from '../../src/interfaces.ts'
import { carnetClient } from '../carnets/carnet-client.ts'
import { ADDRESS, CUSTOMER, chargeClient } from '../charges/charge-client.ts'
import { simulatorForFile } from '../running.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const hasPrograms = ['pdftotext', 'pdfinfo'].every((name) => spawnSync(name, ['-v']).status === 0)
const hasQpdf = spawnSync('qpdf', ['--version']).status === 0

const running = simulatorForFile()

const MESSAGE = Array.from({ length: 4 }, (_, line) =>
  `${line} Ação, coração, não é “três” – `.padEnd(99, 'ç').concat('.'),
)
/** More items than one page has lines, with names of 255 characters. */
const ITEMS = Array.from({ length: 50 }, (_, number) => ({ name: `${number} `.padEnd(255, 'maçã '), value: 100 }))

/** The PDF of a billet with everything that it can have, and its typeable line. */
async function billetOf(environment: Environment): Promise<{ file: string; line: string }> {
  const client = chargeClient(running, environment)
  await client.setTime('2026-03-02T15:00:00Z')
  const { json } = await client.payByBillet(await client.createCharge({ items: ITEMS }), {
    customer: { ...CUSTOMER, address: ADDRESS },
    message: MESSAGE.join('\n'),
    configurations: { fine: 200, interest: 33 },
    conditional_discount: { type: 'currency', value: 599, until_date: '2026-03-04' },
  })
  const response = await fetchBytes(json.data.pdf.charge)
  const file = join(temporaryFolder(), 'billet.pdf')
  writeFileSync(file, response)
  return { file, line: json.data.barcode }
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  const dispatcher = new Agent({ connect: { ca: running().simulator.folder.root } })
  const { body } = await request(url, { dispatcher })
  const bytes = new Uint8Array(await body.arrayBuffer())
  await dispatcher.close()
  return bytes
}
const textOf = (file: string) => execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' })
/** Without the spaces and line ends that a broken line has. */
const joined = (text: string) => text.replace(/\s+/g, '')

describe.skipIf(!hasPrograms)('the PDF of a billet, as poppler reads it', () => {
  it('has every line whole, with its accents, over as many pages as it needs', async () => {
    const { file, line } = await billetOf('production')
    const text = textOf(file)
    for (const whole of [...MESSAGE, line, 'Amount: R$ 50.00', 'Due date: 2026-03-10', 'Fine when paid late: 2.00%'])
      expect(text).toContain(whole)
    for (const whole of ['Interest for each day late: 0.033%', 'Discount when paid until 2026-03-04: R$ 5.99'])
      expect(text).toContain(whole)
    const withoutTitles = joined(text.replaceAll(/Billet of charge .*/g, ''))
    expect(ITEMS.filter(({ name }) => !withoutTitles.includes(joined(name)))).toEqual([])
    expect(execFileSync('pdfinfo', [file], { encoding: 'utf8' })).toMatch(/^Pages: +3$/m)
    expect(text).not.toContain('NOT VALID')
  })

  it('has no word beyond the edge of a page', async () => {
    const { file } = await billetOf('production')
    const words = execFileSync('pdftotext', ['-bbox', file, '-'], { encoding: 'utf8' })
    const edges = [...words.matchAll(/xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.]+)" yMax="([\d.]+)"/g)]
    const of = (index: number) => edges.map((edge) => Number(edge[index]))
    expect(edges.length).toBeGreaterThan(500)
    expect([Math.min(...of(1)) > 0, Math.min(...of(2)) > 0]).toEqual([true, true])
    expect([Math.max(...of(3)) < 595, Math.max(...of(4)) < 842]).toEqual([true, true])
  })

  it('of a carnet begins each parcel on a page of its own', async () => {
    const client = carnetClient(running, 'production')
    await client.setTime('2026-03-02T15:00:00Z')
    const { data } = (await client.create({ repeats: 12 })).json
    const file = join(temporaryFolder(), 'carnet.pdf')
    writeFileSync(file, await fetchBytes(data.pdf.carnet))
    const pages = textOf(file).split('\f').slice(0, -1)
    expect(pages).toHaveLength(12)
    const parcels: { barcode: string; expire_at: string }[] = data.charges
    for (const [index, { barcode, expire_at }] of parcels.entries())
      for (const part of [barcode, `Due date: ${expire_at}`, `Parcel ${index + 1} of carnet ${data.carnet_id}`])
        expect(pages[index]).toContain(part)
    if (hasQpdf) execFileSync('qpdf', ['--check', file])
  })

  it('of the sandbox has zeros, and the watermark on each page', async () => {
    const { file } = await billetOf('sandbox')
    const pages = textOf(file).split('\f').slice(0, -1)
    expect(pages.map((page) => page.includes('TEST - NOT VALID - CANNOT BE PAID'))).toEqual([true, true, true])
    expect(textOf(file)).toContain('0'.repeat(47))
  })
})

it.skipIf(!hasQpdf)('qpdf finds no mistake in the PDF of a billet', async () => {
  const { file } = await billetOf('sandbox')
  expect(execFileSync('qpdf', ['--check', file], { encoding: 'utf8' })).toContain('No syntax or stream encoding errors')
})
