import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MOVEMENT_KINDS, type Movement, signedCents } from '../../../src/account/ledger.ts'
import { type StatementContent, statementFile } from '../../../src/account/statements/file.ts'
import { RECORD_KINDS } from '../../../src/account/statements/record-kinds.ts'
import { centsOf, readStatement } from './read-statement.ts'

const ZONE = 'America/Sao_Paulo'
const ACCOUNT = { number: '200001', digit: '4', name: 'Integrator (sandbox)' }
const at = (time: string) => Date.parse(`2026-03-04T${time}-03:00`)

function movement(changes: Partial<Movement>): Movement {
  return {
    id: 1,
    account: ACCOUNT.number,
    kind: 'pixRecebido',
    cents: 100,
    at: at('12:00:00.000'),
    balanceCents: 0,
    description: 'Pix recebido',
    origin: null,
    reverses: null,
    ...changes,
  }
}

function fileOf(changes: Partial<StatementContent>): string {
  return statementFile({
    account: ACCOUNT,
    date: '2026-03-04',
    kinds: RECORD_KINDS,
    movements: [],
    zone: ZONE,
    balanceBeforeCents: 0,
    balanceCents: 0,
    ...changes,
  })
}

describe('the file of a statement', () => {
  it('is the example of simulator/docs/endpoints-bills.md', () => {
    const bill = { kind: 'bill_payment', id: 1000001 } as const
    const charge = { kind: 'charge', id: 1000003 } as const
    const sent = { kind: 'transferenciaEnviada', description: 'Pagamento de conta 1000001' } as const
    const received = { kind: 'transferenciaRecebida', description: 'Cobrança 1000003' } as const
    const fee = { kind: 'tarifaTransferenciaEnviada', description: 'Tarifa de transferência enviada' } as const
    const refund = { kind: 'pixDevolucaoEnviada', description: 'Troco' } as const
    const movements = [
      movement({ id: 7, at: at('08:00:30.000'), cents: 8000, origin: bill, ...sent }),
      movement({ id: 8, at: at('08:00:30.000'), cents: 150, ...fee }),
      movement({ id: 9, at: at('10:15:00.250'), cents: 2500 }),
      movement({ id: 10, at: at('11:40:02.007'), cents: 15010, origin: charge, ...received }),
      movement({ id: 12, at: at('23:59:59.999'), cents: 1000, reverses: 9, ...refund }),
    ]
    const page = readFileSync(resolve(import.meta.dirname, '../../../docs/endpoints-bills.md'), 'utf8')
    const [, example] = /^```text\n(CA;[\s\S]*?)\n```$/m.exec(page) ?? []
    const text = fileOf({ movements, balanceBeforeCents: 100_000_000, balanceCents: 100_008_360 })
    expect(text).toBe(example)
    readStatement(text)
  })

  it('of a day without movements has header, balances and trailer', () => {
    const balances = { balanceBeforeCents: 5, balanceCents: 5 }
    expect(fileOf({ kinds: ['saldoDia', 'saldoDiaAnterior'], ...balances }).split('\n')).toEqual([
      'CA;Serviço simulado;999;CONCILIACAO;200001-4;Integrator (sandbox);2026-03-04;2026-03-04;Extrato de conciliação;1',
      'saldoDiaAnterior;;2026-03-03;;;0.05;;;;',
      'saldoDia;;2026-03-04;;;0.05;;;;',
      'T;2;0;0.00;0;0.00;0.05',
    ])
  })

  it.each(MOVEMENT_KINDS)('with %s alone has the records of this kind, and counts no other', (kind) => {
    const movements = MOVEMENT_KINDS.map((one, index) => movement({ id: index + 1, kind: one, cents: index + 1 }))
    const { records, trailer } = readStatement(fileOf({ kinds: [kind], movements, balanceCents: 700 }))
    const id = String(MOVEMENT_KINDS.indexOf(kind) + 1)
    expect(records.map((record) => [record.kind, record.id])).toEqual([[kind, id]])
    expect([trailer[1], trailer[6]]).toEqual(['1', '7.00'])
  })

  it('has its movements in the order of their times, those of one time in the order of their numbers', () => {
    const movements = [
      movement({ id: 1, at: at('12:00:00.001') }),
      movement({ id: 3, at: at('12:00:00.000') }),
      movement({ id: 2, at: at('12:00:00.000') }),
    ]
    const { records } = readStatement(fileOf({ movements }))
    expect(records.slice(1, -1).map(({ id, time }) => [id, time])).toEqual([
      ['2', '12:00:00.000'],
      ['3', '12:00:00.000'],
      ['1', '12:00:00.001'],
    ])
  })

  it('has exact totals above what a number counts exactly', () => {
    const movements = Array.from({ length: 11 }, (_, index) => movement({ id: index + 1, cents: 999_999_999_999_999 }))
    expect(readStatement(fileOf({ movements })).trailer[3]).toBe('109999999999999.89')
  })

  it('writes a balance below 0 with its sign', () => {
    const { records, trailer } = readStatement(fileOf({ balanceBeforeCents: -5, balanceCents: -15010 }))
    expect([...records.map(({ amount }) => amount), trailer[6]]).toEqual(['-0.05', '-150.10', '-150.10'])
  })

  it.each([
    ['a;b', 'a,b'],
    ['say "yes"', "say 'yes'"],
    ['a\r\nb\nc\td\u2028e\u0085f', 'a b c d e f'],
    ['\nT;1;1', 'T,1,1'],
    ['\ud800 Ação 😀', '\ufffd Ação 😀'],
    ['; ', ','],
  ])('takes from the text %j what could break a line, in the holder’s name too', (text, shown) => {
    const file = fileOf({ account: { ...ACCOUNT, name: text }, movements: [movement({ description: text })] })
    const { header, records } = readStatement(file)
    expect([header[5], records[1]?.description]).toEqual([shown, shown])
  })

  it('can be read line by line whatever its texts are, and its balances differ by its movements', () => {
    const some = fc.record({
      kind: fc.constantFrom(...MOVEMENT_KINDS),
      cents: fc.integer({ min: 1, max: 10 ** 12 }),
      description: fc.string({ unit: 'binary' }),
      at: fc.integer({ min: at('00:00:00.000'), max: at('23:59:59.999') }),
    })
    fc.assert(
      fc.property(fc.array(some), fc.integer(), (given, balanceBeforeCents) => {
        const movements = given.map((one, index) => movement({ id: index + 1, ...one }))
        const balanceCents = movements.reduce((sum, one) => sum + signedCents(one), balanceBeforeCents)
        const { records, trailer } = readStatement(fileOf({ movements, balanceBeforeCents, balanceCents }))
        const ids = ['', ...movements.map(({ id }) => String(id)), '']
        expect(records.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
        const [before = 0n, after = 0n] = [records[0]?.amount ?? '', trailer[6] ?? ''].map(centsOf)
        const sum = (nature: string) =>
          records.filter((one) => one.nature === nature).reduce((total, { amount }) => total + centsOf(amount), 0n)
        expect(after - before).toBe(sum('C') - sum('D'))
      }),
      { numRuns: 30 },
    )
  })

  it('can have 100 thousand movements', () => {
    const movements = Array.from({ length: 100_000 }, (_, index) =>
      movement({
        id: index + 1,
        at: at('00:00:00.000') + index,
        kind: index % 2 ? 'tarifaPixRecebido' : 'pixRecebido',
      }),
    )
    const [last] = fileOf({ movements, balanceCents: 1 }).split('\n').slice(-1)
    expect(last).toBe('T;100002;50000;50000.00;50000;50000.00;0.01')
  })
})
