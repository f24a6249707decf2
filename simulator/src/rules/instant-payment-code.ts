import { decimalOf } from './money.ts'

export interface InstantPayment {
  /** Address of the payment's record, without its scheme; at most 77 characters. */
  readonly location: string
  /** 0: the code names no amount, because the standard allows none of 0. The record has it. */
  readonly amountCents: number
  readonly payee: string
  readonly city: string
}

const SCHEME = 'br.gov.bcb.pix'
const LONGEST_LOCATION = 77

/**
 * The copy-and-paste code of one instant payment: EMV's QR code for merchants (EMV QRCPS) with the members of the Brazilian scheme.
 * @throws RangeError for a location that is too long
 */
export function instantPaymentCode({ location, amountCents, payee, city }: InstantPayment): string {
  if (location.length > LONGEST_LOCATION)
    throw new RangeError(`${location} has more than ${LONGEST_LOCATION} characters`)
  const code = [
    field('00', '01'),
    // To be used once.
    field('01', '12'),
    field('26', field('00', SCHEME) + field('25', location)),
    field('52', '0000'),
    field('53', '986'),
    amountCents === 0 ? '' : field('54', decimalOf(amountCents)),
    field('58', 'BR'),
    field('59', plain(payee, 25) || 'RECEBEDOR'),
    field('60', plain(city, 15)),
    field('62', field('05', '***')),
    '6304',
  ].join('')
  return code + crc16(code)
}

function field(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, '0')}${value}`
}

/** Letters without accents: receivers count bytes. */
function plain(text: string, most: number): string {
  return text
    .normalize('NFD')
    .replace(/[^ -~]/g, '')
    .trim()
    .slice(0, most)
    .trim()
}

export type CodeReading =
  | { readonly outcome: 'read'; readonly location: string }
  | { readonly outcome: 'wrong'; readonly problem: string }

/** Reads a code: its check value, its fields, and the address of the payment's record. */
export function readInstantPaymentCode(text: string): CodeReading {
  const code = text.trim()
  const fields = fieldsOf(code)
  if (fields?.get('00') !== '01' || !/6304[0-9A-F]{4}$/i.test(code))
    return wrong('the text is no instant-payment code: give all of it, from 000201 to the four characters behind 6304')
  const [checked, check] = [crc16(code.slice(0, -4)), code.slice(-4).toUpperCase()]
  if (checked !== check)
    return wrong(`the code is damaged: its check value is ${check}, and its text has ${checked}; copy it again`)
  const account = fieldsOf(fields.get('26') ?? '')
  if (account?.get('00')?.toLowerCase() !== SCHEME) return wrong(`the code has no member of ${SCHEME}`)
  const location = account.get('25')
  if (location === undefined)
    return wrong('the code is static: only codes of billets, which have a location, can be paid')
  return { outcome: 'read', location }
}

function wrong(problem: string): CodeReading {
  return { outcome: 'wrong', problem }
}

/** Values by id; undefined: the lengths do not fit the text. */
function fieldsOf(text: string): Map<string, string> | undefined {
  const fields = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const [, id, length] = /^(\d{2})(\d{2})/.exec(text.slice(at)) ?? []
    const value = text.slice(at + 4, at + 4 + Number(length))
    if (id === undefined || value.length !== Number(length)) return undefined
    fields.set(id, value)
    at += 4 + value.length
  }
  return fields
}

/** CRC-16 of EMV QRCPS: polynomial 1021, beginning with FFFF, four hexadecimal digits. */
export function crc16(text: string): string {
  let crc = 0xffff
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return (crc & 0xffff).toString(16).toUpperCase().padStart(4, '0')
}
