import type { BarcodeProblem } from './barcode-reading.ts'
import { type Billet, barcodeOfBilletLine, billetLineOf, readBillet } from './billet-barcode.ts'
import { barcodeOfTaxLine, readTax, type Tax, taxLineOf } from './tax-barcode.ts'

export type BarcodeReading =
  | { readonly outcome: 'read'; readonly bill: Billet | Tax }
  | { readonly outcome: 'refused'; readonly problem: BarcodeProblem }

/**
 * Reads a barcode (44 digits) or a typeable line (47 of a billet, 48 of a utility or tax), and verifies its check digits.
 * The first problem is reported. Layouts: FEBRABAN's for billets (Carta-Circular 2926 of the central bank) and for collection.
 */
export function readBarcode(text: string): BarcodeReading {
  const result = readDigits(text)
  return 'what' in result ? { outcome: 'refused', problem: result } : { outcome: 'read', bill: result }
}

function readDigits(text: string): Billet | Tax | BarcodeProblem {
  if (!/^[0-9]*$/.test(text)) return { what: 'characters' }
  const isTax = text.startsWith('8')
  if (text.length !== 44 && text.length !== (isTax ? 48 : 47)) return { what: 'length', length: text.length }
  if (/^0+$/.test(text)) return { what: 'zeros' }
  return isTax ? readTax(text) : readBillet(text)
}

/** The typeable line of a barcode of 44 digits. Its general check digit is not verified. */
export function typeableLineOf(barcode: string): string {
  return barcode.startsWith('8') ? taxLineOf(barcode) : billetLineOf(barcode)
}

/** The barcode of a typeable line of 47 or 48 digits. No check digit is verified. */
export function barcodeOf(typeableLine: string): string {
  return typeableLine.startsWith('8') ? barcodeOfTaxLine(typeableLine) : barcodeOfBilletLine(typeableLine)
}
