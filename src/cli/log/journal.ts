import { fstatSync } from 'node:fs'

/** sd-daemon(3). */
const SEVERITIES: Readonly<Record<string, number>> = { error: 3, warn: 4, info: 6, debug: 7 }

/**
 * What a line of this level begins with, so that `journalctl -p err` finds errors: `<3>` and so on where standard error is the journal; null elsewhere.
 * systemd names the journal's socket by device and inode in JOURNAL_STREAM (systemd.exec(5)); a redirected standard error is another file.
 */
export function severityPrefix(): ((level: string) => string) | null {
  return isJournal() ? (level) => `<${SEVERITIES[level] ?? SEVERITIES.info}>` : null
}

function isJournal(): boolean {
  const { JOURNAL_STREAM } = process.env
  if (!JOURNAL_STREAM) return false
  try {
    const { dev, ino } = fstatSync(process.stderr.fd)
    return JOURNAL_STREAM === `${dev}:${ino}`
  } catch {
    // Standard error is closed.
    return false
  }
}
