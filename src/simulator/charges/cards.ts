import { randomBytes } from 'node:crypto'
import { chargeProblem } from '../http/service-error.ts'
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

/** Document 2 and DECISIONS.md, card brands. */
const BRANDS: readonly string[] = ['visa', 'mastercard', 'amex', 'elo', 'hipercard']

/** Any brand can be made, so that a refused one can be tried. */
export function addCard(site: Site, { brand, outcome }: Pick<Card, 'brand' | 'outcome'>): Card {
  const token = randomBytes(20).toString('hex')
  const lastDigits = String(Number.parseInt(token.slice(0, 8), 16) % 10_000).padStart(4, '0')
  const card = { token, brand, outcome, mask: `XXXXXXXXXXXX${lastDigits}`, isUsed: false }
  cardsOf(site).put(token, card)
  return card
}

/** Uses a card's token up. @param property of the request that holds it @throws ServiceError 400 */
export function useCard(site: Site, token: string, property: string): Card {
  const card = cardsOf(site).get(token.toLowerCase())
  const problem =
    card === undefined
      ? 'O token de pagamento não existe.'
      : card.isUsed
        ? 'O token de pagamento já foi usado.'
        : BRANDS.includes(card.brand)
          ? undefined
          : 'A bandeira do cartão não é aceita.'
  if (card === undefined || problem !== undefined)
    throw chargeProblem(400, 'validation_error', { property, message: problem ?? '' })
  cardsOf(site).put(card.token, { ...card, isUsed: true })
  return card
}

function cardsOf(site: Site) {
  return site.collection<Card>('cards')
}
