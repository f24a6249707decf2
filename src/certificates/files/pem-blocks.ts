/** A block between `-----BEGIN X-----` and `-----END X-----`. */
export interface PemBlock {
  /** Its label, such as `CERTIFICATE`, as it is or was meant. */
  readonly label: string
  /** The text between the first and the last line; '' in a broken block. */
  readonly content: string
  /** Why the block has no valid beginning or end; null: it has. */
  readonly broken: string | null
}

/** The first or last line of a block, anywhere in the text. */
interface Armor {
  /** null: mistyped. */
  readonly side: string | null
  readonly label: string
  readonly start: number
  readonly end: number
}

const ARMOR = /-----(BEGIN|END) ([A-Z0-9 #]+?)-----/g
const MISTYPED = 'has a mistyped first or last line (five hyphens, capital letters, ordinary spaces)'
/** A line that was meant as the first or last line of a block. */
const INTENDED_ARMOR = /^[-–—\s]+(BEGIN|END)\b|^(BEGIN|END)\b.*[-–—]$/i
const INTENDED_LABELS = ['CERTIFICATE', 'PRIVATE KEY', 'X509 CRL'] as const

/**
 * The blocks of a PEM text, in its order; text and comments between them are skipped. A first or last line need not be alone on its line, and `\n` may
 * be two characters, so files that were joined and keys from environment variables are read. A mistyped first or last line is a broken block, because
 * it would hide a whole one.
 */
export function splitBlocks(written: string): PemBlock[] {
  const text = written.replaceAll(/\\+(?:[rnt]|u000[9aAdD])/g, '\n').replaceAll(/^[ \t]*#.*$/gm, '')
  const blocks: PemBlock[] = []
  let open: Armor | null = null
  for (const armor of armorsIn(text)) {
    const isEnd = armor.side === 'END'
    if (open !== null) blocks.push(closeBlock(open, isEnd ? armor.label : null, text.slice(open.end, armor.start)))
    else if (isEnd) blocks.push(brokenBlock(armor.label, 'has an END line without a BEGIN line'))
    if (armor.side === null) blocks.push(brokenBlock(armor.label, MISTYPED))
    open = armor.side === 'BEGIN' ? armor : null
  }
  if (open !== null) blocks.push(closeBlock(open, null, ''))
  return blocks
}

function armorsIn(text: string): Armor[] {
  const right = [...text.matchAll(ARMOR)].map(({ 0: { length }, 1: side = '', 2: label = '', index }) => {
    return { side, label, start: index, end: index + length }
  })
  const rest = text.replaceAll(ARMOR, (armor) => ' '.repeat(armor.length))
  const mistyped = [...rest.matchAll(/[^\r\n]+/g)].flatMap(({ 0: line, index }) => {
    const label = INTENDED_ARMOR.test(line.trim()) ? intendedLabel(line) : undefined
    return label === undefined ? [] : [{ side: null, label, start: index, end: index + line.length }]
  })
  return [...right, ...mistyped].toSorted((one, other) => one.start - other.start)
}

function intendedLabel(line: string): string | undefined {
  return INTENDED_LABELS.find((label) => line.toUpperCase().includes(label.split(' ').at(-1) ?? label))
}

function closeBlock({ label }: Armor, endLabel: string | null, content: string): PemBlock {
  if (endLabel === null) return brokenBlock(label, 'has no END line')
  if (endLabel !== label) return brokenBlock(label, 'has different names on its BEGIN and END lines')
  return { label, content, broken: null }
}

function brokenBlock(label: string, broken: string): PemBlock {
  return { label, content: '', broken }
}
