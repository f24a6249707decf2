/** A block between `-----BEGIN X-----` and `-----END X-----`. */
export interface PemBlock {
  /** Its label, such as `CERTIFICATE`; '' when the label is unreadable. */
  readonly label: string
  /** The lines between the first and the last one, trimmed. */
  readonly lines: readonly string[]
  /** Why the block has no valid beginning or end; null: it has. */
  readonly broken: string | null
}

/** Which blocks of a file are read. */
export interface BlockNames {
  /** Accepted labels. Text and other blocks are skipped. */
  readonly whole: RegExp
  /** A mistyped first or last line that contains this is reported and not skipped, because it would hide a block. */
  readonly intended: RegExp
}

const ARMOR = /^-----(BEGIN|END) ([A-Z0-9 #]+)-----$/
/** A line that was meant as the first or last line of a block. */
const INTENDED_ARMOR = /^[-–—\s]+(BEGIN|END)\b|^(BEGIN|END)\b.*[-–—]$/i

/** The blocks of a PEM text, in its order. Text between them, Windows line ends and a byte order mark are allowed. */
export function splitBlocks(text: string, { whole, intended }: BlockNames): PemBlock[] {
  const blocks: PemBlock[] = []
  let open: { label: string; lines: string[] } | null = null
  for (const [index, line] of text
    .split(/\r\n|\n|\r/)
    .map((raw) => raw.trim())
    .entries()) {
    const [, side, label = ''] = ARMOR.exec(line) ?? []
    const isArmor = side !== undefined && whole.test(label)
    if (!isArmor && !(INTENDED_ARMOR.test(line) && intended.test(line))) {
      open?.lines.push(line)
      continue
    }
    if (open !== null) blocks.push(closeBlock(open, isArmor && side === 'END' ? label : null))
    else if (isArmor && side === 'END') blocks.push(brokenBlock(label, 'has an END line without a BEGIN line'))
    if (!isArmor) blocks.push(brokenBlock('', `has a mistyped first or last line (line ${index + 1} of the file)`))
    open = isArmor && side === 'BEGIN' ? { label, lines: [] } : null
  }
  if (open !== null) blocks.push(closeBlock(open, null))
  return blocks
}

function closeBlock({ label, lines }: { label: string; lines: string[] }, endLabel: string | null): PemBlock {
  if (endLabel === null) return brokenBlock(label, 'has no END line')
  if (endLabel !== label) return brokenBlock(label, 'has different names on its BEGIN and END lines')
  return { label, lines, broken: null }
}

function brokenBlock(label: string, broken: string): PemBlock {
  return { label, lines: [], broken }
}
