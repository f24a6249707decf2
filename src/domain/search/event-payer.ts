import { factsIn, membersOf } from './event-amount.ts'

/** Who pays, in the service's documents (Documents 1 and 2) and in callbacks of instant payments. */
const PAYERS = ['pagador', 'devedor', 'customer']
const NAMES = ['nome', 'name', 'nomeCompleto', 'razaoSocial', 'corporate_name']

/**
 * The name of the payer in the data of an event; null: there is none at the known places. Of masked data: the mask.
 * @param data the payload as parsed JSON, with one fact in its array
 */
export function payerIn(data: unknown): string | null {
  const facts = [data, ...factsIn(data)]
  for (const place of [...facts, ...facts.flatMap(membersOf)])
    for (const payer of PAYERS) {
      const name = nameIn(memberOf(place, payer))
      if (name !== null) return name
    }
  return null
}

function nameIn(payer: unknown): string | null {
  if (typeof payer === 'string' && payer !== '') return payer
  const name = NAMES.map((one) => memberOf(payer, one)).find((one) => typeof one === 'string' && one !== '')
  return typeof name === 'string' ? name : null
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}
