import { decimalOf } from './money.ts'

export interface InstantPayment {
  /** Address of the payment's record, without its scheme; at most 77 characters. */
  readonly location: string
  readonly amountCents: number
  readonly payee: string
  readonly city: string
}

/** The copy-and-paste code of an instant payment: EMV's QR code for merchants (EMV QRCPS) with the members of the Brazilian scheme. */
export function instantPaymentCode({ location, amountCents, payee, city }: InstantPayment): string {
  const code = [
    field('00', '01'),
    field('26', field('00', 'br.gov.bcb.pix') + field('25', location.slice(0, 77))),
    field('52', '0000'),
    field('53', '986'),
    field('54', decimalOf(amountCents)),
    field('58', 'BR'),
    field('59', plain(payee).slice(0, 25)),
    field('60', plain(city).slice(0, 15)),
    field('62', field('05', '***')),
    '6304',
  ].join('')
  return code + crc16(code)
}

function field(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, '0')}${value}`
}

/** Letters without accents: receivers count bytes. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/[^ -~]/g, '')
}

/** CRC-16 of EMV QRCPS: polynomial 1021, beginning with FFFF, four hexadecimal digits. */
export function crc16(text: string): string {
  let crc = 0xffff
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return (crc & 0xffff).toString(16).toUpperCase().padStart(4, '0')
}
