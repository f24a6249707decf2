/** A block between `-----BEGIN X-----` and `-----END X-----`. */
export interface PemBlock {
  /** What it says it is, such as `CERTIFICATE`; '' when even that cannot be told. */
  readonly label: string
  /** What stands between its first and last line, trimmed. */
  readonly lines: readonly string[]
  /** Why the block has no proper beginning or end, if so. */
  readonly broken: string | null
}

/** Which blocks of a file count. */
export interface BlockNames {
  /** Labels that count; text, and blocks of other labels, are passed over. */
  readonly whole: RegExp
  /** What a mistyped first or last line must contain to be reported rather than passed over: it must not hide a block. */
  readonly intended: RegExp
}

const ARMOR = /^-----(BEGIN|END) ([A-Z0-9 #]+)-----$/
/** What somebody meant as the first or last line of a block. */
const INTENDED_ARMOR = /^[-–—\s]+(BEGIN|END)\b|^(BEGIN|END)\b.*[-–—]$/i

/** The blocks of a PEM text, in its order. Text between them, Windows line ends and a byte order mark are allowed. */
export function splitBlocks(text: string, { whole, intended }: BlockNames): PemBlock[] {
  const blocks: PemBlock[] = []
  let open: { label: string; lines: string[] } | null = null
  for (const line of text.split(/\r\n|\n|\r/).map((raw) => raw.trim())) {
    const [, side, label = ''] = ARMOR.exec(line) ?? []
    const isArmor = side !== undefined && whole.test(label)
    if (!isArmor && !(INTENDED_ARMOR.test(line) && intended.test(line))) {
      open?.lines.push(line)
      continue
    }
    if (open !== null) blocks.push(closeBlock(open, isArmor && side === 'END' ? label : null))
    else if (isArmor && side === 'END') blocks.push(brokenBlock(label, 'has an END line without a BEGIN line'))
    if (!isArmor) blocks.push(brokenBlock('', `has a mistyped first or last line ("${line}")`))
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
