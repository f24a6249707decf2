import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addMovement,
  availableOf,
  balanceAtEndOf,
  balanceOf,
  isCredit,
  LedgerError,
  MOVEMENT_KINDS,
  type Movement,
  type MovementKind,
  movementsOf,
  openLedger,
  setBalance,
  setBlocks,
} from '../../src/account/ledger.ts'
import { ledgerSite } from './ledger-site.ts'

const OPENING = 100_000_000
const ACCOUNT = '100001'

/** What each kind does, written down a second time: whether it adds, and which movements it gives back, wholly or in part. */
const KINDS: Readonly<Record<MovementKind, readonly [sign: '+' | '-', whole?: boolean, ...back: MovementKind[]]>> = {
  pixRecebido: ['+'],
  transferenciaRecebida: ['+'],
  pixEnviadoChave: ['-'],
  pixEnviadoDadosBancarios: ['-'],
  transferenciaEnviada: ['-'],
  tarifaPixEnviado: ['-'],
  tarifaPixRecebido: ['-'],
  tarifaTransferenciaEnviada: ['-'],
  pixDevolucaoEnviada: ['-', false, 'pixRecebido'],
  pixDevolucaoRecebida: ['+', false, 'pixEnviadoChave', 'pixEnviadoDadosBancarios'],
  estornoPixEnviado: ['+', true, 'pixEnviadoChave', 'pixEnviadoDadosBancarios'],
  estornoTarifaPixEnviado: ['+', true, 'tarifaPixEnviado'],
  estornoTarifaPixRecebido: ['+', true, 'tarifaPixRecebido'],
  estornoTransferenciaEnviada: ['+', true, 'transferenciaEnviada'],
  estornoTarifaTransferenciaEnviada: ['+', true, 'tarifaTransferenciaEnviada'],
}

/** Whether the rules allow a movement after those before it. */
function isAllowed(before: readonly Movement[], one: { kind: MovementKind; cents: number; reverses: number | null }) {
  const [, whole, ...back] = KINDS[one.kind]
  const given = before.find(({ id }) => id === one.reverses)
  if (whole === undefined) return one.reverses === null
  if (given === undefined || !back.includes(given.kind)) return false
  const others = before.filter(({ reverses }) => reverses === given.id)
  const sum = others.reduce((all, { cents }) => all + cents, one.cents)
  return whole ? others.length === 0 && one.cents === given.cents : sum <= given.cents
}

describe('any sequence of movements', () => {
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constantFrom(...MOVEMENT_KINDS),
        cents: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 60_000_000 })),
        // Most reversals fit: they name an earlier movement, and have its amount.
        target: fc.option(fc.nat({ max: 12 })),
        isWhole: fc.boolean(),
      }),
    },
    fc.record({ balance: fc.integer({ min: 0, max: 2 * OPENING }) }),
    fc.record({ judicial: fc.nat({ max: OPENING }), med: fc.nat({ max: OPENING }) }),
  )

  it('leaves the opening balance plus credits minus debits, never below 0, and takes what the rules allow', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const site = ledgerSite()
        let balance = OPENING
        let blocked = 0
        for (const one of steps) {
          const before = movementsOf(site, ACCOUNT)
          if ('judicial' in one) {
            setBlocks(site, ACCOUNT, one)
            blocked = one.judicial + one.med
          } else if ('balance' in one) {
            setBalance(site, ACCOUNT, one.balance)
            balance = one.balance
          } else {
            const target = one.target === null ? undefined : before[before.length - 1 - one.target]
            const cents = one.isWhole ? (target?.cents ?? one.cents) : one.cents
            const movement = { account: ACCOUNT, kind: one.kind, cents, origin: null, reverses: target?.id ?? null }
            const isDebit = KINDS[one.kind][0] === '-'
            const isGood = isAllowed(before, movement) && (!isDebit || cents <= balance - blocked)
            if (isGood) {
              balance += isDebit ? -cents : cents
              expect(addMovement(site, movement)).toMatchObject({ ...movement, balanceCents: balance })
            } else expect(() => addMovement(site, movement)).toThrow(LedgerError)
          }
          expect(balance).toBeGreaterThanOrEqual(0)
          expect(balanceOf(site, ACCOUNT)).toBe(balance)
          expect(availableOf(site, ACCOUNT)).toBe(Math.max(0, balance - blocked))
        }
        const all = movementsOf(site, ACCOUNT)
        const sum = all.reduce((cents, one) => cents + (KINDS[one.kind][0] === '+' ? one.cents : -one.cents), OPENING)
        expect(sum).toBe(balance)
        expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => index + 1))
        expect(balanceAtEndOf(site, ACCOUNT, '9999-12-31')).toBe(balance)
        expect(balanceAtEndOf(site, ACCOUNT, '1970-01-01')).toBe(OPENING)
        site.records.close()
      }),
      { numRuns: 150 },
    )
  })

  it('has credits and debits as their kinds say', () => {
    expect(MOVEMENT_KINDS.filter(isCredit).sort()).toEqual(
      Object.entries(KINDS)
        .flatMap(([kind, [sign]]) => (sign === '+' ? [kind] : []))
        .sort(),
    )
  })
})

describe('the balance at the end of a day', () => {
  const add = (site: ReturnType<typeof ledgerSite>, at: string, kind: MovementKind, cents: number) => {
    site.clock.set(Date.parse(at), true)
    addMovement(site, { account: ACCOUNT, kind, cents, origin: null })
  }

  it('has the movements up to the last millisecond of the local day', () => {
    const site = ledgerSite()
    openLedger(site, ACCOUNT, 0)
    add(site, '2026-03-03T02:59:59.999Z', 'pixRecebido', 700)
    add(site, '2026-03-03T03:00:00.000Z', 'tarifaPixRecebido', 10)
    add(site, '2026-03-05T12:00:00.000Z', 'pixRecebido', 1)
    const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']
    expect(days.map((day) => balanceAtEndOf(site, ACCOUNT, day))).toEqual([0, 700, 690, 690, 691, 691])
  })

  it('counts each movement at its own time, also after the clock was set back', () => {
    const site = ledgerSite()
    openLedger(site, ACCOUNT, 0)
    add(site, '2026-03-05T12:00:00Z', 'pixRecebido', 700)
    add(site, '2026-03-03T12:00:00Z', 'pixRecebido', 50)
    expect(['2026-03-02', '2026-03-03', '2026-03-05'].map((day) => balanceAtEndOf(site, ACCOUNT, day))).toEqual([
      0, 50, 750,
    ])
    expect(movementsOf(site, ACCOUNT).map(({ cents, balanceCents }) => [cents, balanceCents])).toEqual([
      [700, 700],
      [50, 750],
    ])
  })

  it('without a movement is the balance', () => {
    const site = ledgerSite()
    expect([balanceAtEndOf(site, ACCOUNT, '2026-03-02'), balanceOf(site, ACCOUNT)]).toEqual([OPENING, OPENING])
  })
})

describe('amounts', () => {
  it('stay safe integers: a credit beyond them is refused, and writes nothing', () => {
    const site = ledgerSite()
    setBalance(site, ACCOUNT, Number.MAX_SAFE_INTEGER)
    const one = { account: ACCOUNT, kind: 'pixRecebido', origin: null } as const
    expect(() => addMovement(site, { ...one, cents: 1 })).toThrow('can have no more than 9007199254740991 cents')
    expect([balanceOf(site, ACCOUNT), movementsOf(site, ACCOUNT)]).toEqual([
      Number.MAX_SAFE_INTEGER,
      [expect.anything()],
    ])
    for (const cents of [0, -1, 1.5, Number.NaN, 2 ** 53])
      expect(() => addMovement(site, { ...one, cents })).toThrow(RangeError)
  })

  it('of accounts are apart', () => {
    const site = ledgerSite()
    addMovement(site, { account: '1', kind: 'tarifaPixEnviado', cents: 5, origin: null })
    addMovement(site, { account: '11', kind: 'pixRecebido', cents: 7, origin: null })
    expect([balanceOf(site, '1'), balanceOf(site, '11')]).toEqual([OPENING - 5, OPENING + 7])
    expect(movementsOf(site, '1').map(({ id }) => id)).toEqual([1])
    const foreign = { account: '11', kind: 'estornoTarifaPixEnviado', cents: 5, origin: null, reverses: 1 } as const
    expect(() => addMovement(site, foreign)).toThrow('account 11 has no movement 1')
  })
})

it('neither a balance nor a movement reads the list of movements', () => {
  const site = ledgerSite()
  const unreadable = {
    ...site,
    collection: (name: string) => ({
      ...site.collection(name),
      list: () => {
        throw new Error(`${name} was listed`)
      },
    }),
  } as typeof site
  const one = { account: ACCOUNT, cents: 7, origin: null } as const
  const { id } = addMovement(unreadable, { ...one, kind: 'pixEnviadoChave' })
  addMovement(unreadable, { ...one, kind: 'estornoPixEnviado', reverses: id })
  setBalance(unreadable, ACCOUNT, 50)
  expect([balanceOf(unreadable, ACCOUNT), availableOf(unreadable, ACCOUNT)]).toEqual([50, 50])
  expect(() => movementsOf(unreadable, ACCOUNT)).toThrow(`movements.${ACCOUNT} was listed`)
})
