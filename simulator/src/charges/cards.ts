import { randomBytes } from 'node:crypto'
import type { Site } from '../site.ts'
import type { CardOutcome } from './charge.ts'

/** A card that a payer could have typed in. Its token can be used once. */
export interface Card {
  /** 40 hexadecimal characters. */
  readonly token: string
  readonly brand: string
  /** Whether the card's bank will pay. */
  readonly outcome: CardOutcome
  /** The number with its last four digits. */
  readonly mask: string
  readonly isUsed: boolean
}

/** Document 2 and service-decisions.md, card brands. */
const BRANDS: readonly string[] = ['visa', 'mastercard', 'amex', 'elo', 'hipercard']

/** Any brand can be made, so that a refused one can be tried. */
export function addCard(site: Site, { brand, outcome }: Pick<Card, 'brand' | 'outcome'>): Card {
  const token = randomBytes(20).toString('hex')
  const lastDigits = String(Number.parseInt(token.slice(0, 8), 16) % 10_000).padStart(4, '0')
  const card = { token, brand, outcome, mask: `XXXXXXXXXXXX${lastDigits}`, isUsed: false }
  cardsOf(site).put(token, card)
  return card
}

/** Why a token cannot be used; null: it can. */
export function cardProblem(site: Site, token: string): string | null {
  const card = cardsOf(site).get(token.toLowerCase())
  if (card === undefined) return 'O token de pagamento não existe.'
  if (card.isUsed) return 'O token de pagamento já foi usado.'
  return BRANDS.includes(card.brand) ? null : 'A bandeira do cartão não é aceita.'
}

/** Uses up a token that has no problem. */
export function useCard(site: Site, token: string): Card {
  const card = cardsOf(site).get(token.toLowerCase())
  if (card === undefined) throw new Error('unreachable: the card was looked up before')
  cardsOf(site).put(card.token, { ...card, isUsed: true })
  return card
}

function cardsOf(site: Site) {
  return site.collection<Card>('cards')
}
