import { describe, expect, it } from 'vitest'
import { type HeldWebhook, planRegistration, planRemoval } from '../../../src/cli/service/webhook-plan.ts'

const URL_NOW = 'https://hooks.example.com/payment'
const now = held(URL_NOW, 'payment')
const older = held('https://hooks.example.com/payment?x=', 'payment')
const otherKind = held('https://hooks.example.com/registration', 'registration')
const foreign = held('https://other.example/hook', null)

function held(url: string, kind: string | null): HeldWebhook {
  return { url, kind, id: null, createdAt: '2026-03-02T15:00:00.000Z' }
}

const plan = (has: readonly HeldWebhook[], replace: string | null = null) =>
  planRegistration(has, { url: URL_NOW, kind: 'payment', replace })

describe('a registration', () => {
  it('moves ours of the kind, and leaves every other address alone', () => {
    expect(plan([older, otherKind, foreign])).toEqual({
      url: URL_NOW,
      isHeld: false,
      replaced: [older],
      kept: [otherKind, foreign],
    })
  })

  it('replaces the address of somebody else that is named, and no further one', () => {
    const further = held('https://other.example/hook2', null)
    expect(plan([foreign, further], 'https://OTHER.example/hook')).toEqual({
      url: URL_NOW,
      isHeld: false,
      replaced: [foreign],
      kept: [further],
    })
  })

  it('goes on where an earlier run was interrupted: the new address is there, the old one too', () => {
    expect(plan([now, foreign], foreign.url)).toEqual({ url: URL_NOW, isHeld: true, replaced: [foreign], kept: [] })
  })

  it('has nothing to do after it was done, with --replace too', () => {
    expect(plan([now], foreign.url)).toEqual({ url: URL_NOW, isHeld: true, replaced: [], kept: [] })
  })

  it('refuses to replace what the service does not have, and names what it has', () => {
    const text =
      '--replace https://typo.example/: the service does not have this address; it has https://other.example/hook'
    expect(() => plan([foreign], 'https://typo.example/')).toThrow(text)
    expect(() => plan([], foreign.url)).toThrow(/it has none$/)
  })

  it('refuses to replace the address that it registers', () => {
    expect(() => plan([now], URL_NOW)).toThrow(/leave it out$/)
  })
})

describe('a removal', () => {
  const all = [now, older, otherKind, foreign]

  it('takes ours of the kind', () => {
    expect(planRemoval(all, { kind: 'payment', url: null })).toEqual([now, older])
  })

  it('takes the one that is named', () => {
    expect(planRemoval(all, { kind: 'payment', url: foreign.url })).toEqual([foreign])
  })

  it('of nothing is refused with what there is', () => {
    expect(() => planRemoval([foreign], { kind: 'payment', url: null })).toThrow(
      'the service has no address of this gateway (kind payment); it has https://other.example/hook; to delete one of these, name it with --url',
    )
    expect(() => planRemoval([], { kind: 'payment', url: URL_NOW })).toThrow(`no address ${URL_NOW}; it has none`)
  })
})
