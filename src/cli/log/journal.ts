import { fstatSync } from 'node:fs'

/** sd-daemon(3). */
const SEVERITIES: Readonly<Record<string, number>> = { error: 3, warn: 4, info: 6, debug: 7 }

/** What a line begins with in the journal, by its level; null: the output is not the journal. */
export type SeverityPrefix = ((level: string) => string) | null

/**
 * What a line of this level begins with, so that `journalctl -p err` finds errors: `<3>` and so on where the output is the journal; null elsewhere.
 * systemd names the journal's socket by device and inode in JOURNAL_STREAM (systemd.exec(5)); a redirected output is another file.
 */
export function severityPrefix(output: { readonly fd: number } = process.stderr): SeverityPrefix {
  return isJournal(output.fd) ? (level) => `<${SEVERITIES[level] ?? SEVERITIES.info}>` : null
}

function isJournal(fd: number): boolean {
  const { JOURNAL_STREAM } = process.env
  if (!JOURNAL_STREAM) return false
  try {
    const { dev, ino } = fstatSync(fd)
    return JOURNAL_STREAM === `${dev}:${ino}`
  } catch {
    // The output is closed.
    return false
  }
}
