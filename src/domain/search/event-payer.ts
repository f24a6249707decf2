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

const DOCUMENTS = ['cpf', 'cnpj', 'cpfCnpj', 'documento', 'document']
/** Of an account opening (Document 1): who opens the account. */
const PEOPLE = [...PAYERS, 'clienteFinal', 'titular']

/** The digits of the CPF or CNPJ of the payer, or of who opens the account; null: there is none at the known places, or it is masked. */
export function documentIn(data: unknown): string | null {
  const facts = [data, ...factsIn(data)]
  for (const place of [...facts, ...facts.flatMap(membersOf)])
    for (const one of PEOPLE.map((name) => memberOf(place, name))) {
      const found = [one, ...membersOf(one)].flatMap((holder) => DOCUMENTS.map((name) => memberOf(holder, name)))
      const digits = found.map((text) => (typeof text === 'string' ? personNumberOf(text) : null))
      const document = digits.find((text) => text !== null)
      if (document !== undefined) return document
    }
  return null
}

/** The digits of a CPF or CNPJ, with or without punctuation; null: it is neither. */
export function personNumberOf(text: string): string | null {
  const trimmed = text.trim()
  if (!/^(?:\d{3}\.?\d{3}\.?\d{3}-?\d{2}|\d{2}\.?\d{3}\.?\d{3}\/?\d{4}-?\d{2})$/.test(trimmed)) return null
  return trimmed.replaceAll(/\D/g, '')
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
